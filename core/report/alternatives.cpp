// SPDX-License-Identifier: Apache-2.0
// The plan beside what a search found and what a person pinned.
#include "core/plan/dimensions.h"
#include "core/report/sections.h"
#include "core/report/wording.h"
#include "core/units/sentence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stratoplan::report {
namespace {

using Candidates = std::vector<const Candidate*>;

/// A row of a number of each candidate, with its difference from the first.
struct Measure {
    const char* name;
    std::function<double(const Candidate&)> amount; ///< not finite: none
    bool isCount = false; ///< of things, told in full
};

Row heading(const char* text, std::size_t columns)
{
    Row row{{textCell(text)}, true};
    row.cells.resize(columns);
    return row;
}

Row measureRow(const Measure& measure, const Candidates& candidates)
{
    const double base = measure.amount(*candidates.front());
    const auto cell = [&](double amount) { return measure.isCount ? wholeCell(amount) : numberCell(amount); };
    Row row{{textCell(measure.name), cell(base)}};
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        const double amount = measure.amount(*candidates[i]);
        row.cells.push_back(cell(amount));
        row.cells.push_back(base != 0 ? deltaCell(amount / base - 1) : textCell("–"));
    }
    return row;
}

Row textRow(
    const std::string& name, const Candidates& candidates, const std::function<std::string(const Candidate&)>& textOf)
{
    Row row{{textCell(name), textCell(textOf(*candidates.front()))}};
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        row.cells.push_back(textCell(textOf(*candidates[i])));
        row.cells.push_back(textCell(""));
    }
    return row;
}

/// "+0.1 points" of a difference of shares.
Cell pointsCell(double difference)
{
    Cell cell = deltaCell(difference);
    if (cell.number)
        cell.text.replace(cell.text.size() - 1, 1, "points");
    return cell;
}

/// Shares differ by points of per cent.
Row shareRow(
    const std::string& name, const Candidates& candidates, const std::function<double(const Candidate&)>& shareOf)
{
    Row row{{textCell(name), shareCell(shareOf(*candidates.front()))}};
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        const double share = shareOf(*candidates[i]), base = shareOf(*candidates.front());
        row.cells.push_back(shareCell(share));
        row.cells.push_back(pointsCell(share - base));
    }
    return row;
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double ofRun(const Candidate& candidate, double amount)
{
    return hasRun(candidate) ? amount : kNone;
}

std::vector<Measure> stepMeasures()
{
    return {{"Step time, s", [](const Candidate& c) { return c.estimate.step.value(); }},
        {"Step time, p10, s", [](const Candidate& c) { return c.estimate.stepLow.value(); }},
        {"Step time, p90, s", [](const Candidate& c) { return c.estimate.stepHigh.value(); }},
        {"Throughput, tokens/s", [](const Candidate& c) { return c.estimate.tokensPerSecond; }},
        {"TFLOP/s per accelerator", [](const Candidate& c) { return c.estimate.perAccelerator.value() / 1e12; }},
        {"Peak memory, GiB", [](const Candidate& c) { return c.estimate.memory.peak.value() / kGiB; }},
        {"Accelerators in use", [](const Candidate& c) { return double(rankCount(c.plan.strategy)); }, true}};
}

/// Costs are told of those in that currency.
std::vector<Measure> runMeasures(const std::string& currency)
{
    const auto cost = [currency](const Candidate& c) {
        return c.run.isPriced && c.inputs.currency == currency ? ofRun(c, c.run.cost.mid) : kNone;
    };
    return {{"Duration, days", [](const Candidate& c) { return ofRun(c, c.run.days.mid); }},
        {"Duration, p90, days", [](const Candidate& c) { return ofRun(c, c.run.days.high); }},
        {"Accelerator-hours", [](const Candidate& c) { return ofRun(c, c.run.acceleratorHours.mid); }}, {"Cost", cost},
        {"Energy, MWh", [](const Candidate& c) { return ofRun(c, c.run.energyKwh.mid / 1e3); }},
        {"CO2, t", [](const Candidate& c) { return ofRun(c, c.run.co2Kg.mid / 1e3); }}};
}

/// What of their strategies is not as usual, or is always told.
void addStrategies(Table& table, const Candidates& candidates)
{
    using plan::Dimension;
    constexpr std::array always{
        Dimension::Tp, Dimension::Pp, Dimension::Dp, Dimension::MicroBatch, Dimension::Recompute, Dimension::Schedule};
    for (const Dimension id : plan::dimensionsOfFiles()) {
        const plan::DimensionRow& row = dimension(id);
        const bool isTold = std::ranges::find(always, id) != always.end()
            || std::ranges::any_of(candidates, [&](const Candidate* c) { return !isUsual(row, c->plan.strategy); });
        if (isTold)
            table.rows.push_back(textRow(asSentence(std::string(row.noun)), candidates,
                [&](const Candidate& c) { return valueText(row, c.plan.strategy); }));
    }
}

Table comparison(const Candidates& candidates, std::string title)
{
    Table table{std::move(title), "Alternatives", {"", candidates.front()->name}, {}};
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        table.headings.push_back(candidates[i]->name);
        table.headings.push_back("±"); // against the plan
    }
    const std::size_t columns = table.headings.size();
    table.rows.push_back(heading("Strategy", columns));
    addStrategies(table, candidates);
    table.rows.push_back(heading("Step", columns));
    for (const Measure& measure : stepMeasures())
        table.rows.push_back(measureRow(measure, candidates));
    table.rows.push_back(shareRow("MFU", candidates, [](const Candidate& c) { return c.estimate.mfu; }));
    table.rows.push_back(textRow("Chance of not fitting", candidates,
        [](const Candidate& c) { return oddsText(chanceOfNoRoom(c.estimate.memory)); }));
    table.rows.push_back(
        textRow("Fits", candidates, [](const Candidate& c) { return std::string(canRun(c) ? "yes" : "no"); }));
    if (std::ranges::none_of(candidates, [](const Candidate* c) { return hasRun(*c); }))
        return table;
    table.rows.push_back(heading("Whole run", columns));
    const std::string& currency = candidates.front()->inputs.currency;
    for (const Measure& measure : runMeasures(currency))
        table.rows.push_back(measureRow(measure, candidates));
    table.rows[table.rows.size() - 3].cells.front().text = filled("Cost, {currency}", {{"currency", {currency}}});
    if (!candidates.front()->inputs.start.empty())
        table.rows.push_back(
            textRow("Delivery", candidates, [](const Candidate& c) { return dateText(c, c.run.days.mid); }));
    return table;
}

Candidates beside(const Candidate& plan, const std::vector<Candidate>& others)
{
    Candidates candidates{&plan};
    for (const Candidate& other : others)
        candidates.push_back(&other);
    return candidates;
}

/// Where runs of pinned plans are not as long as that of this plan.
void addBudgetNote(Section& section, const Facts& facts)
{
    const double tokens = facts.chosen.run.tokens;
    const bool differs = hasRun(facts.chosen) && std::ranges::any_of(facts.pinned, [&](const Candidate& pin) {
        return hasRun(pin) && std::abs(pin.run.tokens - tokens) > 1e-9 * tokens;
    });
    if (differs)
        section.blocks.emplace_back(Paragraph{"Some pinned plans have token budgets of their own: the differences of "
                                              "their whole runs are those of the budgets, too.",
            true});
}

} // namespace

Section alternativesSection(const Facts& facts)
{
    Section section{"alternatives", "The plan and its alternatives", {}, true};
    Bullets names;
    names.items.push_back(
        filled("This plan, as it stands: {strategy}.", {{"strategy", {strategyText(facts.chosen.plan.strategy)}}}));
    for (const std::vector<Candidate>* const list : {&facts.found, &facts.pinned})
        for (const Candidate& candidate : *list)
            names.items.push_back(filled("{name}, {kind}: {strategy}.",
                {{"name", {candidate.name}}, {"kind", {candidate.kind}},
                    {"strategy", {strategyText(candidate.plan.strategy)}}}));
    section.blocks.emplace_back(std::move(names));
    if (facts.found.empty())
        section.blocks.emplace_back(Paragraph{"A search of the space found no other strategy that fits.", false});
    section.blocks.emplace_back(comparison(beside(facts.chosen, facts.found), "What a search found"));
    if (!facts.pinned.empty())
        section.blocks.emplace_back(comparison(beside(facts.chosen, facts.pinned), "Pinned plans"));
    addBudgetNote(section, facts);
    if (facts.morePinned > 0)
        section.blocks.emplace_back(
            Paragraph{filled("{plans pinned plan is|pinned plans are} not shown: they cannot be estimated, or are more "
                             "than have room here.",
                          {{"plans", numberWord(double(facts.morePinned))}}),
                true});
    section.blocks.emplace_back(Paragraph{"Columns headed ± are differences from this plan. A difference smaller than "
                                          "the ranges of both steps may be none.",
        true});
    return section;
}

} // namespace stratoplan::report
