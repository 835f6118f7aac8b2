// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sensitivity_answer.h"

#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/narration/problems.h"
#include "core/narration/sensitivities.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;
using sensitivity::Bar;
using sensitivity::kMeasures;
using sensitivity::Measure;

constexpr std::size_t kMostBars = 15; ///< that are told; JSON has all

Json finite(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// The key of a measure with its unit.
const char* keyWithUnit(Measure measure)
{
    switch (measure) {
    case Measure::Step:
        return "step_s";
    case Measure::Peak:
        return "peak_bytes";
    case Measure::Days:
        return "days";
    case Measure::Cost:
        return "cost";
    case Measure::Energy:
        return "energy_kwh";
    }
    return "";
}

Json outcomeJson(const sensitivity::Outcome& outcome)
{
    Json json = Json::object();
    for (const Measure measure : kMeasures)
        json[keyWithUnit(measure)] = finite(outcome.at(measure));
    json["fits"] = outcome.fits();
    return json;
}

Json inputJson(const sensitivity::Input& input)
{
    return {{"key", input.key}, {"name", narration::nameOfInput(input.key)}, {"unit", input.unit},
        {"value", input.value / input.perUnit}, {"of", input.part}};
}

Json barJson(const Bar& bar)
{
    Json json = inputJson(bar.input);
    json["p10"] = bar.input.low / bar.input.perUnit;
    json["p90"] = bar.input.high / bar.input.perUnit;
    json["stated"] = bar.input.isStated;
    json["source"] = bar.input.source;
    json["at_p10"] = outcomeJson(bar.low);
    json["at_p90"] = outcomeJson(bar.high);
    return json;
}

std::string rangeOfInput(const sensitivity::Input& input)
{
    return narration::amountOf(input, input.low) + " to " + narration::amountOf(input, input.high);
}

std::string tornadoText(
    const SensitivityQuestion& asked, const sensitivity::Answer& plan, const sensitivity::Analysis& analysis)
{
    const Measure measure = asked.measure;
    const double base = plan.base.at(measure);
    const auto amount = [&](double value) { return narration::amountOf(measure, value, asked.currency()); };
    Table table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right});
    table.heading({"Each alone, at its 10th and 90th percentile", "from, to", "at 10 %", "at 90 %", "", ""});
    const std::vector<Bar> bars = byEffect(plan.bars, measure, plan.base);
    for (std::size_t i = 0; i < std::min(bars.size(), kMostBars); ++i) {
        const double low = bars[i].low.at(measure), high = bars[i].high.at(measure);
        table.row({std::string(narration::nameOfInput(bars[i].input.key)), rangeOfInput(bars[i].input), amount(low),
            amount(high), signedShare(low / base - 1), signedShare(high / base - 1)});
    }
    const bool isPeak = measure == Measure::Peak;
    const sensitivity::Residual& left = isPeak ? plan.peak : plan.step;
    if (analysis.draws > 0 && measure <= Measure::Peak)
        table.row({"what no input explains", "", amount(base * std::exp(left.low)), amount(base * std::exp(left.high)),
            signedShare(std::exp(left.low) - 1), signedShare(std::exp(left.high) - 1)});
    return table.text();
}

std::string rangesText(const SensitivityQuestion& asked, const sensitivity::Analysis& analysis)
{
    Table table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Right});
    table.heading({"Plan", "", "10 %", "estimate", "90 %"});
    for (std::size_t k = 0; k < analysis.plans.size(); ++k)
        for (const Measure measure : kMeasures) {
            const capacity::Spread& range = analysis.plans[k].ranges[std::size_t(measure)];
            const std::string& currency = asked.cases[k].run.currency;
            const auto end = [&](double value) {
                const bool isKnown = analysis.draws > 0 && !std::isnan(value);
                return isKnown ? narration::amountOf(measure, value, currency) : "–";
            };
            if (analysis.plans[k].base.knows(measure))
                table.row({measure == Measure::Step ? asked.names[k] : "", std::string(narration::describe(measure)),
                    end(range.low), narration::amountOf(measure, range.mid, currency), end(range.high)});
        }
    return table.text();
}

std::string chancesText(const SensitivityQuestion& asked, const sensitivity::Analysis& analysis)
{
    std::string text;
    for (std::size_t k = 0; k < analysis.plans.size(); ++k) {
        const sensitivity::Answer& plan = analysis.plans[k];
        const std::string name = analysis.plans.size() > 1 ? asked.names[k] + ": " : "";
        if (plan.cannotRun > 0)
            text += name + narration::cannotRun(plan.cannotRun) + '\n';
        if (plan.cannotRun < 1)
            text += name + narration::outOfMemory(plan.outOfMemory) + '\n';
    }
    for (std::size_t k = 1; k < analysis.plans.size(); ++k)
        for (const Measure measure : kMeasures)
            if (analysis.plans[k].isCompared[std::size_t(measure)])
                text += asSentence(narration::beats(asked.names.front(), asked.names[k], measure,
                            analysis.plans[k].against[std::size_t(measure)]))
                    + '\n';
    return text;
}

bool areAllCompared(const sensitivity::Analysis& analysis, std::size_t measure)
{
    return std::ranges::all_of(
        analysis.plans, [measure](const sensitivity::Answer& plan) { return plan.isCompared[measure]; });
}

Json planJson(const SensitivityQuestion& asked, const sensitivity::Analysis& analysis, std::size_t k)
{
    const sensitivity::Answer& plan = analysis.plans[k];
    const bool isDrawn = analysis.draws > 0;
    Json json{{"name", asked.names[k]}, {"currency", asked.cases[k].run.currency},
        {"strategy", exchange::toJson(asked.cases[k].plan.strategy)}};
    for (const Measure measure : kMeasures) {
        const capacity::Spread& range = plan.ranges[std::size_t(measure)];
        json[keyWithUnit(measure)] = Json{{"p10", isDrawn ? finite(range.low) : Json(nullptr)},
            {"p50", finite(range.mid)}, {"p90", isDrawn ? finite(range.high) : Json(nullptr)}};
    }
    json["fits"] = plan.base.fits();
    json["out_of_memory"] = isDrawn && plan.cannotRun < 1 ? Json(plan.outOfMemory) : Json(nullptr);
    json["cannot_run"] = isDrawn ? Json(plan.cannotRun) : Json(nullptr);
    json["tornado"] = Json::array();
    for (const Bar& bar : byEffect(plan.bars, asked.measure, plan.base))
        json["tornado"].push_back(barJson(bar));
    json["unexplained"] = Json{{"step", {{"p10", std::exp(plan.step.low)}, {"p90", std::exp(plan.step.high)}}},
        {"peak", {{"p10", std::exp(plan.peak.low)}, {"p90", std::exp(plan.peak.high)}}}};
    json["likeness"] = plan.likeness;
    for (const Measure measure : kMeasures) {
        const auto m = std::size_t(measure);
        if (!isDrawn || !plan.isCompared[m])
            continue;
        const std::string name(key(measure));
        if (areAllCompared(analysis, m))
            json["best"][name] = plan.best[m];
        if (k > 0)
            json["first_against_it"][name] = {{"wins", plan.against[m].wins}, {"ties", plan.against[m].ties},
                {"losses", plan.against[m].losses}, {"chance", plan.against[m].isBetter()}};
    }
    return json;
}

std::string whyNone(const sensitivity::SweepPoint& point)
{
    if (!point.isDone)
        return "not reached";
    return point.problems.empty() ? "no strategy fits" : narration::describe(point.problems.front());
}

std::string atPoint(const SensitivityQuestion& asked, const sensitivity::SweepPoint& point)
{
    if (!point.outcome)
        return "–";
    const std::string amount = narration::amountOf(asked.measure, point.outcome->at(asked.measure), asked.currency());
    return point.outcome->fits() ? amount : amount + " (does not fit)";
}

std::string mapText(const SensitivityQuestion& asked, const SweepAnswer& sweep)
{
    const std::vector<double>& columns = sweep.y->values;
    Table table(std::vector<Align>(columns.size() + 1, Align::Right));
    std::vector<std::string> head{""};
    for (const double value : columns)
        head.push_back(narration::amountOf(sweep.y->input, value));
    table.heading(head);
    for (std::size_t row = 0; row < sweep.x.values.size(); ++row) {
        std::vector<std::string> cells{narration::amountOf(sweep.x.input, sweep.x.values[row])};
        for (std::size_t column = 0; column < columns.size(); ++column)
            cells.push_back(atPoint(asked, sweep.points[row * columns.size() + column]));
        table.row(cells);
    }
    return filled("{measure}: {rows} down, {columns} across",
               {{"measure", {asSentence(std::string(narration::describe(asked.measure)))}},
                   {"rows", {std::string(narration::nameOfInput(sweep.x.input.key))}},
                   {"columns", {std::string(narration::nameOfInput(sweep.y->input.key))}}})
        + "\n\n" + table.text();
}

} // namespace

std::string describeSensitivity(const SensitivityQuestion& asked, const sensitivity::Analysis& analysis)
{
    std::string text = describePlan(asked.cases.front().plan) + '\n' + rangesText(asked, analysis) + '\n'
        + tornadoText(asked, analysis.plans.front(), analysis) + '\n';
    return analysis.draws > 0 ? text + chancesText(asked, analysis) + narration::reconciled(analysis) + '\n' : text;
}

Json toJson(const SensitivityQuestion& asked, const sensitivity::Analysis& analysis)
{
    Json json{{"measure", key(asked.measure)}, {"currency", asked.currency()}, {"draws", analysis.draws},
        {"stopped", analysis.isStopped}, {"kept_of_ranges", {{"step", analysis.ofStep}, {"peak", analysis.ofPeak}}},
        {"plans", Json::array()}};
    for (std::size_t k = 0; k < analysis.plans.size(); ++k)
        json["plans"].push_back(planJson(asked, analysis, k));
    return json;
}

std::string describeInputSweep(const SensitivityQuestion& asked, const SweepAnswer& sweep)
{
    if (sweep.y)
        return mapText(asked, sweep);
    Table table({Align::Right, Align::Right, Align::Right, Align::Left});
    table.heading({std::string(narration::nameOfInput(sweep.x.input.key)),
        std::string(narration::describe(asked.measure)), "peak memory", sweep.isReplanned ? "best strategy" : ""});
    for (const sensitivity::SweepPoint& point : sweep.points) {
        const std::string peak = point.outcome ? format(Bytes(point.outcome->at(Measure::Peak))) : std::string("–");
        const std::string note = !point.outcome ? whyNone(point)
            : sweep.isReplanned                 ? describeStrategy(point.strategy)
                                                : "";
        table.row({narration::amountOf(sweep.x.input, point.x), atPoint(asked, point), peak, note});
    }
    return table.text();
}

Json toJson(const SensitivityQuestion& asked, const SweepAnswer& sweep)
{
    Json json{{"measure", key(asked.measure)}, {"currency", asked.currency()}, {"replanned", sweep.isReplanned},
        {"x", inputJson(sweep.x.input)}, {"y", sweep.y ? inputJson(sweep.y->input) : Json(nullptr)},
        {"points", Json::array()}};
    for (const sensitivity::SweepPoint& point : sweep.points) {
        Json entry{{"x", point.x / sweep.x.input.perUnit}};
        if (sweep.y)
            entry["y"] = point.y / sweep.y->input.perUnit;
        entry["outcome"] = point.outcome ? outcomeJson(*point.outcome) : Json(nullptr);
        if (point.outcome && sweep.isReplanned)
            entry["strategy"] = exchange::toJson(point.strategy);
        if (!point.outcome)
            entry["why"] = whyNone(point);
        json["points"].push_back(std::move(entry));
    }
    return json;
}

std::string describeBreakEven(
    const SensitivityQuestion& asked, const sensitivity::Input& input, const sensitivity::BreakEven& found)
{
    std::string text;
    for (const std::string& sentence :
        narration::describe(found, input, asked.names.front(), asked.names.back(), asked.currency()))
        text += asSentence(sentence) + '\n';
    return text;
}

Json toJson(const SensitivityQuestion& asked, const sensitivity::Input& input, const sensitivity::BreakEven& found)
{
    const auto sides = [&](double value, const sensitivity::BreakEven::Sides& at) {
        return Json{{"value", value / input.perUnit}, {"first", finite(at.first)}, {"other", finite(at.other)}};
    };
    Json json{{"measure", key(found.measure)}, {"first", asked.names.front()}, {"other", asked.names.back()},
        {"input", inputJson(input)}, {"at_low", sides(found.low, found.atLow)},
        {"at_high", sides(found.high, found.atHigh)}, {"stopped", found.isStopped}, {"break_even", Json::array()}};
    for (const sensitivity::BreakEven::Place& place : found.places) {
        json["break_even"].push_back(sides(place.value, place.at));
        json["break_even"].back()["other_is_better"] = place.otherIsBetterAbove ? "above" : "below";
    }
    return json;
}

} // namespace stratoplan::cli
