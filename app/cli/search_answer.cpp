// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/search_answer.h"

#include "app/cli/fronts_answer.h"
#include "app/cli/recheck_answer.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "app/cli/why_answer.h"
#include "core/exchange/estimate_json.h"
#include "core/plan/dimensions.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

double tokensPerSecond(const Plan& plan, Seconds step)
{
    return double(plan.training.globalBatch) * plan.training.sequenceLength / step.value();
}

/// Strategies of a front that are equal in value and in peak.
struct Group {
    const FoundStrategy* first = nullptr;
    std::int64_t count = 0;
    std::size_t place = 0; ///< of the first
};

std::vector<Group> groupsOf(const std::vector<FoundStrategy>& front)
{
    std::vector<Group> groups;
    for (std::size_t i = 0; i < front.size(); ++i) {
        const FoundStrategy& found = front[i];
        if (groups.empty() || groups.back().first->value != found.value || groups.back().first->peak != found.peak)
            groups.push_back({&found, 0, i});
        ++groups.back().count;
    }
    return groups;
}

Json strategyJson(const Plan& plan, const FoundStrategy& found)
{
    Json json = toJson(found.strategy);
    if (found.precision != plan.training.precision)
        json["precision"] = std::string(key(found.precision));
    return json;
}

/// Three significant figures are enough for people, but not for telling neighbours of a front apart.
std::string slower(double value, double best)
{
    return value == best ? "best" : signedShare(value / best - 1);
}

/// Simulated step of a strategy of the front.
std::optional<Seconds> simulatedStep(const SearchAnswer& answer, const Group& group)
{
    return answer.recheck ? answer.recheck->front[group.place] : std::nullopt;
}

/// Of the front: what no strategy of it is beaten in.
std::string_view nothingBeats(Objective objective)
{
    switch (objective) {
    case Objective::Throughput:
        return "Nothing is faster in as little memory";
    case Objective::TokensPerCost:
        return "Nothing is cheaper in as little memory";
    case Objective::TokensPerEnergy:
        return "Nothing needs less energy in as little memory";
    case Objective::Deadline:
    case Objective::SmallestCluster:
        return "Nothing of as few accelerators is faster in as little memory";
    case Objective::Robust:
        return "Nothing is faster at the pessimistic end of its range in as little memory";
    }
    return {};
}

std::string frontTable(const SearchAnswer& answer)
{
    Table table({Align::Right, Align::Right, Align::Right, Align::Right, Align::Left});
    table.heading({"step", answer.recheck ? "simulated" : "", "against best", "peak", "strategy"});
    const std::vector<Group> groups = groupsOf(answer.result.front);
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
        const std::string equals = group->count > 1 ? "  (and " + grouped(group->count - 1) + " that equal it)" : "";
        const auto simulated = simulatedStep(answer, *group);
        table.row({format(group->first->step), simulated ? format(*simulated) : "",
            slower(group->first->value, answer.result.best->value), format(group->first->peak),
            describeFound(answer.plan, *group->first) + equals});
    }
    return table.text();
}

/// Schedules without a closed form are told with the other things that were not tried.
std::vector<FixedDimension> notVaried(const SearchAnswer& answer)
{
    std::vector<FixedDimension> fixed = fixedDimensions(answer.space, answer.plan);
    if (answer.result.mode == SearchMode::ClosedForm)
        fixed.push_back({"V-shaped, two-way and automatic schedules", "have no closed form; --simulate tries them"});
    if (answer.result.mode == SearchMode::ClosedForm && answer.space.timingPasses.size() > 1)
        fixed.push_back({"timing pass", "has no closed form; --simulate tries it"});
    return fixed;
}

/// What became of all the strategies.
std::string countsTable(const SearchResult& result)
{
    Table table({Align::Right, Align::Left});
    table.row({grouped(result.evaluated), result.mode == SearchMode::Simulated ? "simulated" : "priced whole"});
    for (std::size_t rule = 0; rule < kPruneRules; ++rule)
        if (result.pruned[rule] > 0)
            table.row({grouped(result.pruned[rule]), std::string(describe(PruneRule(rule)))});
    if (result.unvisited > 0)
        table.row({grouped(result.unvisited), "were not reached"});
    table.rule();
    table.row({grouped(result.space),
        result.counted ? "strategies in the space" : "strategies counted so far; the space has more"});
    return table.text();
}

std::int64_t takenOut(const SearchResult& result)
{
    return std::accumulate(result.taken.begin(), result.taken.end(), std::int64_t{0});
}

/// What the target framework does not run, rule by rule.
std::string frameworkTable(const SearchAnswer& answer)
{
    const TargetFramework framework = answer.space.framework;
    Table table({Align::Right, Align::Left});
    for (std::size_t rule = 0; rule < kFrameworkRules; ++rule)
        if (answer.result.taken[rule] > 0)
            table.row({grouped(answer.result.taken[rule]), std::string(describe(FrameworkRule(rule)))});
    table.rule();
    table.row({grouped(answer.result.space + takenOut(answer.result)),
        answer.result.counted ? "strategies whichever the framework" : "strategies counted so far"});
    return "What " + std::string(title(framework))
        + " does not run, by the first rule that says so (--json has its limits and where they are from)\n"
        + table.text();
}

Json frameworkJson(const SearchAnswer& answer)
{
    const TargetFramework framework = answer.space.framework;
    Json json{{"name", std::string(key(framework))}, {"title", std::string(title(framework))},
        {"any_framework", answer.result.space + takenOut(answer.result)}, {"taken_out", Json::object()},
        {"rules", Json::array()}};
    for (std::size_t i = 0; i < kFrameworkRules; ++i) {
        const auto rule = FrameworkRule(i);
        const FrameworkLimit says = limit(framework, rule);
        if (says.limit.empty())
            continue;
        if (answer.result.taken[i] > 0)
            json["taken_out"][std::string(key(rule))] = answer.result.taken[i];
        json["rules"].push_back({{"rule", std::string(key(rule))}, {"limit", std::string(says.limit)},
            {"source", std::string(says.source)}});
    }
    return json;
}

/// Values of the space that change nothing; empty: there are none.
std::string unusedValues(const SearchResult& result)
{
    std::string numbers;
    for (const int shards : result.unusedShards)
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(shards);
    return numbers.empty()
        ? numbers
        : "zero_shards " + numbers + " of the space add nothing: no strategy has replicas that such groups divide.";
}

std::string describe(const std::set<Dimension>& locks)
{
    std::string names;
    for (const Dimension dimension : locks)
        names += (names.empty() ? "" : ", ") + std::string(key(dimension));
    return names.empty() ? names
                         : "As the project's plan has them, locked there: " + names + " (--ignore-locks frees them)\n";
}

/// By how much something is, after a share.
std::string_view better(Objective objective)
{
    switch (objective) {
    case Objective::TokensPerCost:
        return "cheaper";
    case Objective::TokensPerEnergy:
        return "lower in energy";
    default:
        return "faster";
    }
}

std::string verdict(const SearchAnswer& answer)
{
    const SearchResult& r = answer.result;
    const bool deadline = answer.options.objective == Objective::Deadline;
    const std::string framework = answer.space.framework == TargetFramework::Any
        ? ""
        : "run by " + std::string(title(answer.space.framework)) + ", ";
    std::string text = "Search for " + std::string(describe(answer.options.objective)) + ", space \""
        + answer.space.name + "\", " + framework
        + (r.mode == SearchMode::Simulated ? "every step simulated: " : "closed form: ");
    if (r.proven && r.space == 0)
        text += "the space is empty";
    else if (r.proven)
        text += r.best ? "proven, nothing in the space is better"
                       : "proven, no strategy of the space fits"
                + (deadline ? " and takes no longer than " + format(answer.options.longestStep) : std::string());
    else
        text += "stopped"
            + (r.best ? "; what was not reached may be up to " + formatShare(r.gap) + ' '
                        + std::string(better(answer.options.objective))
                      : std::string(" before any was found"));
    return text + "\n" + grouped(r.space) + (r.counted ? " strategies in " : " strategies so far in ")
        + format(Seconds(r.seconds)) + " on " + grouped(r.threads) + (r.threads == 1 ? " thread\n" : " threads\n")
        + describe(answer.locks);
}

/// What the answer of a closed form comes to when simulated.
void addRecheck(const SearchAnswer& answer, const std::vector<Group>& groups, Json& json)
{
    json["notes"] = Json::array();
    if (!answer.recheck)
        return;
    const Recheck& recheck = *answer.recheck;
    for (std::size_t i = 0; i < groups.size(); ++i)
        if (const auto step = simulatedStep(answer, groups[i]))
            json["front"][i]["simulated_step_s"] = step->value();
    if (answer.result.best)
        if (const auto step = simulatedStep(answer, groups.back()))
            json["best"]["simulated_step_s"] = step->value();
    json["simulated"] = recheck.simulated;
    json["closed_form_apart"] = recheck.apart;
    if (recheck.best) {
        const SimulatedStrategy& best = *recheck.best;
        json["simulated_best"] = Json{{"strategy", strategyJson(answer.plan, best.found)},
            {"step_s", best.found.step.value()}, {"value", best.found.value},
            {"closed_form_step_s", best.closedForm ? Json(best.closedForm->value()) : Json(nullptr)},
            {"peak_bytes", best.found.peak.value()}, {"tokens_per_s", tokensPerSecond(answer.plan, best.found.step)},
            {"own", best.own}};
    }
    for (std::string& note : notes(answer.result, answer.options, recheck))
        json["notes"].push_back(std::move(note));
}

/// A peak and its range, and whether that reaches beyond what there is.
std::string memoryOf(Bytes peak, const Estimate& e)
{
    return format(peak) + " of " + format(e.memory.capacity) + "; 80 % range " + format(e.memory.peakLow) + " to "
        + format(e.memory.peakHigh)
        + (e.memory.peakHigh > e.memory.capacity ? ": it may not fit (--headroom keeps a share free)" : "");
}

/// The best of the search, and what it is when simulated.
std::string bestTable(const SearchAnswer& answer)
{
    const FoundStrategy& best = *answer.result.best;
    Table table({Align::Left, Align::Left});
    table.row({answer.recheck ? "Best in closed form" : "Best", describeFound(answer.plan, best)});
    const auto e = estimate(planWith(answer.plan, best), {.remedies = false});
    const std::string step = answer.recheck && e
        ? format(best.step) + " in closed form, " + format(e->step) + " simulated"
        : format(best.step);
    table.row({"Step", step + ", " + formatCount(tokensPerSecond(answer.plan, e ? e->step : best.step)) + " tokens/s"});
    if (e)
        table.row({"Use of the peak",
            formatShare(e->mfu) + " MFU; 80 % range of the step " + format(e->stepLow) + " to " + format(e->stepHigh)});
    table.row({"Memory",
        e ? memoryOf(best.peak, *e) : format(best.peak) + " of " + format(smallestMemory(answer.plan.cluster))});
    return table.text();
}

std::string recheckText(const SearchAnswer& answer)
{
    const Recheck& recheck = *answer.recheck;
    std::string text;
    if (isAnother(answer.result, recheck)) {
        const SimulatedStrategy& best = *recheck.best;
        Table table({Align::Left, Align::Left});
        table.row({"Best simulated", describeFound(answer.plan, best.found)});
        table.row({"Step",
            format(best.found.step) + " simulated, "
                + (best.closedForm ? format(*best.closedForm) + " in closed form" : "no closed form") + ", "
                + formatCount(tokensPerSecond(answer.plan, best.found.step)) + " tokens/s"});
        const auto e = estimate(planWith(answer.plan, best.found), {.remedies = false});
        table.row({"Memory",
            e ? memoryOf(best.found.peak, *e)
              : format(best.found.peak) + " of " + format(smallestMemory(answer.plan.cluster))});
        text += table.text() + '\n';
    }
    for (const std::string& note : notes(answer.result, answer.options, recheck))
        text += "Note: " + note + '\n';
    return text.empty() ? text : text + '\n';
}

} // namespace

std::string describeFound(const Plan& plan, const FoundStrategy& found)
{
    const std::string precision =
        found.precision == plan.training.precision ? "" : std::string(key(found.precision)) + " · ";
    return precision + describeStrategy(found.strategy);
}

Plan planWith(const Plan& plan, const FoundStrategy& found)
{
    Plan result = plan;
    result.strategy = found.strategy;
    result.training.precision = found.precision;
    return result;
}

Json toJson(const SearchAnswer& answer)
{
    const SearchResult& r = answer.result;
    Json pruned = Json::object();
    for (std::size_t rule = 0; rule < kPruneRules; ++rule)
        if (r.pruned[rule] > 0)
            pruned[std::string(key(PruneRule(rule)))] = r.pruned[rule];
    Json json{{"mode", std::string(key(r.mode))}, {"objective", std::string(key(answer.options.objective))},
        {"space_name", answer.space.name}, {"proven", r.proven}, {"gap", r.gap}, {"space", r.space},
        {"space_counted", r.counted}, {"evaluated", r.evaluated}, {"pruned", std::move(pruned)},
        {"unvisited", r.unvisited}, {"seconds", r.seconds}, {"threads", r.threads}, {"best", nullptr},
        {"front", Json::array()}, {"not_varied", Json::array()}};
    const std::vector<Group> groups = groupsOf(r.front);
    if (r.best) {
        json["best"] = Json{{"strategy", strategyJson(answer.plan, *r.best)}, {"value", r.best->value},
            {"step_s", r.best->step.value()}, {"peak_bytes", r.best->peak.value()}, {"equals", groups.back().count}};
        if (const auto e = estimate(planWith(answer.plan, *r.best), {.remedies = false}))
            json["best"]["estimate"] = toJson(*e);
    }
    for (const Group& group : groups)
        json["front"].push_back({{"strategy", strategyJson(answer.plan, *group.first)},
            {"tokens_per_s", tokensPerSecond(answer.plan, group.first->step)},
            {"peak_bytes", group.first->peak.value()}, {"step_s", group.first->step.value()},
            {"value", group.first->value}, {"equals", group.count}});
    for (const FixedDimension& fixed : notVaried(answer))
        json["not_varied"].push_back({{"dimension", fixed.dimension}, {"reason", fixed.reason}});
    for (const Dimension dimension : answer.locks)
        json["locks"].push_back(std::string(key(dimension)));
    addRecheck(answer, groups, json);
    if (std::string note = unusedValues(r); !note.empty())
        json["notes"].push_back(std::move(note));
    if (answer.fastest)
        json["fastest"] =
            Json{{"strategy", strategyJson(answer.plan, *answer.fastest)}, {"step_s", answer.fastest->step.value()}};
    for (const FixedDimension& reason : answer.empty)
        json["empty"].push_back({{"dimension", reason.dimension}, {"reason", reason.reason}});
    if (answer.options.byAccelerators)
        addFronts(answer, json);
    if (answer.space.framework != TargetFramework::Any)
        json["framework"] = frameworkJson(answer);
    if (answer.why)
        json["why"] = toJson(*answer.why);
    if (!answer.marginal.empty())
        json["marginal"] = toJson(answer.marginal);
    if (answer.space.name == "calculon")
        json["stands_for"] = calculonConfigurations(answer.plan);
    return json;
}

std::string describe(const SearchAnswer& answer, bool front)
{
    std::string text = verdict(answer) + '\n';
    if (answer.result.best)
        text += bestTable(answer) + '\n';
    if (answer.recheck)
        text += recheckText(answer);
    if (const std::string note = unusedValues(answer.result); !note.empty())
        text += "Note: " + note + "\n\n";
    if (answer.fastest) {
        Table table({Align::Left, Align::Left});
        table.row({"Fastest that fits",
            format(answer.fastest->step) + ", on " + grouped(rankCount(answer.fastest->strategy)) + " accelerators"});
        table.row({"Strategy", describeFound(answer.plan, *answer.fastest)});
        text += table.text() + '\n';
    }
    if (!answer.empty.empty()) {
        Table reasons({Align::Left, Align::Left});
        for (const FixedDimension& reason : answer.empty)
            reasons.row({reason.dimension, reason.reason});
        text += "What leaves nothing\n" + reasons.text() + '\n';
    }
    if (answer.why)
        text += describe(*answer.why, answer.options, answer.result.best, answer.asksOwn);
    if (!answer.marginal.empty())
        text += describe(answer.marginal, answer.options, answer.result.best);
    if (front && answer.result.best)
        text += std::string(nothingBeats(answer.options.objective)) + '\n' + frontTable(answer) + '\n';
    if (answer.options.byAccelerators)
        text += describeFronts(answer);
    text += "What became of the strategies\n" + countsTable(answer.result);
    if (answer.space.framework != TargetFramework::Any)
        text += '\n' + frameworkTable(answer);
    if (answer.space.name == "calculon")
        text += "They stand for " + grouped(calculonConfigurations(answer.plan))
            + " configurations of Calculon, which also varies offload, overlap and networks.\n";
    text += "\nNot varied\n";
    Table fixedTable({Align::Left, Align::Left});
    for (const FixedDimension& fixed : notVaried(answer))
        fixedTable.row({fixed.dimension, fixed.reason});
    return text + fixedTable.text();
}

} // namespace stratoplan::cli
