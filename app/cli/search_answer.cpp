// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/search_answer.h"

#include "app/cli/fronts_answer.h"
#include "app/cli/recheck_answer.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "app/cli/why_answer.h"
#include "core/exchange/estimate_json.h"
#include "core/narration/estimates.h"
#include "core/narration/frameworks.h"
#include "core/narration/searches.h"
#include "core/narration/spaces.h"
#include "core/plan/dimensions.h"
#include "core/pricing/limits.h"
#include "core/search/found_plan.h"
#include "core/space/not_varied.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

double tokensPerSecond(const plan::Plan& plan, Seconds step)
{
    return tokensPerStep(plan) / step.value();
}

/// Strategies of a front that are equal in value and in peak.
struct Group {
    const search::FoundStrategy* first = nullptr;
    std::int64_t count = 0;
    std::size_t place = 0; ///< of the first
};

std::vector<Group> groupsOf(const std::vector<search::FoundStrategy>& front)
{
    std::vector<Group> groups;
    for (std::size_t i = 0; i < front.size(); ++i) {
        const search::FoundStrategy& found = front[i];
        if (groups.empty() || groups.back().first->value != found.value || groups.back().first->peak != found.peak)
            groups.push_back({&found, 0, i});
        ++groups.back().count;
    }
    return groups;
}

Json strategyJson(const plan::Plan& plan, const search::FoundStrategy& found)
{
    Json json = exchange::toJson(found.strategy);
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
std::string_view nothingBeats(plan::Objective objective)
{
    switch (objective) {
    case plan::Objective::Throughput:
        return "Nothing is faster in as little memory";
    case plan::Objective::TokensPerCost:
        return "Nothing is cheaper in as little memory";
    case plan::Objective::TokensPerEnergy:
        return "Nothing needs less energy in as little memory";
    case plan::Objective::Deadline:
    case plan::Objective::SmallestCluster:
        return "Nothing of as few accelerators is faster in as little memory";
    case plan::Objective::Robust:
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
            describeFound(answer, *group->first) + equals});
    }
    return table.text();
}

/// Schedules without a closed form are told with the other things that were not tried.
std::vector<narration::PartAndReason> notVaried(const SearchAnswer& answer)
{
    std::vector<narration::PartAndReason> described;
    for (const plan::FixedDimension& fixed : space::notVaried(answer.space, answer.plan, answer.result.mode))
        described.push_back(narration::describe(fixed, "--simulate"));
    return described;
}

/// What became of all the strategies.
std::string countsTable(const search::SearchResult& result)
{
    Table table({Align::Right, Align::Left});
    table.row({grouped(result.evaluated), std::string(narration::priced(result.mode))});
    for (std::size_t rule = 0; rule < search::kPruneRules; ++rule)
        if (result.pruned[rule] > 0)
            table.row({grouped(result.pruned[rule]), std::string(narration::describe(search::PruneRule(rule)))});
    if (result.unvisited > 0)
        table.row({grouped(result.unvisited), std::string(narration::kNotReached)});
    table.rule();
    table.row({grouped(result.space),
        result.counted ? "strategies in the space" : "strategies counted so far; the space has more"});
    return table.text();
}

std::int64_t takenOut(const search::SearchResult& result)
{
    return std::accumulate(result.taken.begin(), result.taken.end(), std::int64_t{0});
}

/// What the target framework does not run, rule by rule.
std::string frameworkTable(const SearchAnswer& answer)
{
    const plan::TargetFramework framework = answer.space.framework;
    Table table({Align::Right, Align::Left});
    for (std::size_t rule = 0; rule < catalog::kFrameworkRules; ++rule)
        if (answer.result.taken[rule] > 0)
            table.row(
                {grouped(answer.result.taken[rule]), std::string(narration::describe(catalog::FrameworkRule(rule)))});
    table.rule();
    table.row({grouped(answer.result.space + takenOut(answer.result)),
        answer.result.counted ? "strategies whichever the framework" : "strategies counted so far"});
    return "What " + std::string(catalog::title(framework))
        + " does not run, by the first rule that says so (--json has its limits and where they are from)\n"
        + table.text();
}

Json frameworkJson(const SearchAnswer& answer)
{
    const plan::TargetFramework framework = answer.space.framework;
    Json json{{"name", std::string(key(framework))}, {"title", std::string(catalog::title(framework))},
        {"any_framework", answer.result.space + takenOut(answer.result)}, {"taken_out", Json::object()},
        {"rules", Json::array()}};
    for (std::size_t i = 0; i < catalog::kFrameworkRules; ++i) {
        const auto rule = catalog::FrameworkRule(i);
        const catalog::FrameworkLimit says = limit(framework, rule);
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
std::string unusedValues(const search::SearchResult& result)
{
    std::string numbers;
    for (const int shards : result.unusedShards)
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(shards);
    return numbers.empty()
        ? numbers
        : "zero_shards " + numbers + " of the space add nothing: no strategy has replicas that such groups divide.";
}

std::string verdict(const SearchAnswer& answer)
{
    const search::SearchResult& r = answer.result;
    const std::string framework = answer.space.framework == plan::TargetFramework::Any
        ? ""
        : "run by " + std::string(catalog::title(answer.space.framework)) + ", ";
    std::string text = "Search for " + std::string(narration::describe(answer.options.objective)) + ", space \""
        + answer.space.name + "\", " + framework
        + (r.mode == plan::SearchMode::Simulated ? "every step simulated: " : "closed form: ");
    text += narration::outcome(r, answer.options);
    return text + "\n" + grouped(r.space) + (r.counted ? " strategies in " : " strategies so far in ")
        + format(Seconds(r.seconds)) + " on " + grouped(r.threads) + (r.threads == 1 ? " thread\n" : " threads\n")
        + lockWords(answer.locks);
}

/// The best and the front.
void addFound(const SearchAnswer& answer, const std::vector<Group>& groups, Json& json)
{
    const search::SearchResult& r = answer.result;
    if (r.best) {
        json["best"] = Json{{"strategy", strategyJson(answer.plan, *r.best)}, {"value", r.best->value},
            {"step_s", r.best->step.value()}, {"peak_bytes", r.best->peak.value()}, {"equals", groups.back().count}};
        if (const auto e = estimate::estimate(planWith(answer.plan, *r.best), {.remedies = false}))
            json["best"]["estimate"] = exchange::toJson(*e);
    }
    for (const Group& group : groups)
        json["front"].push_back({{"strategy", strategyJson(answer.plan, *group.first)},
            {"tokens_per_s", tokensPerSecond(answer.plan, group.first->step)},
            {"peak_bytes", group.first->peak.value()}, {"step_s", group.first->step.value()},
            {"value", group.first->value}, {"equals", group.count}});
}

/// The best with the other tensor partition, where the search priced closed forms.
std::optional<Seconds> otherSimulated(const SearchAnswer& answer)
{
    const auto& best = answer.otherPartition->best;
    if (!answer.recheck || !best)
        return std::nullopt;
    const auto e = estimate::estimate(planWith(answer.plan, *best), {.remedies = false, .range = false});
    return e ? std::optional(e->step) : std::nullopt;
}

Json otherPartitionJson(const SearchAnswer& answer)
{
    Json json{{"tensor_partition", std::string(key(answer.otherPartition->partition))},
        {"proven", answer.otherPartition->isProven}, {"best", nullptr}};
    if (const auto& best = answer.otherPartition->best)
        json["best"] = {{"strategy", strategyJson(answer.plan, *best)}, {"value", best->value},
            {"step_s", best->step.value()}, {"peak_bytes", best->peak.value()}};
    if (const auto step = otherSimulated(answer))
        json["best"]["simulated_step_s"] = step->value();
    return json;
}

/// What the answer of a closed form comes to when simulated.
void addRecheck(const SearchAnswer& answer, const std::vector<Group>& groups, Json& json)
{
    json["notes"] = Json::array();
    if (!answer.recheck)
        return;
    const search::Recheck& recheck = *answer.recheck;
    for (std::size_t i = 0; i < groups.size(); ++i)
        if (const auto step = simulatedStep(answer, groups[i]))
            json["front"][i]["simulated_step_s"] = step->value();
    if (answer.result.best)
        if (const auto step = simulatedStep(answer, groups.back()))
            json["best"]["simulated_step_s"] = step->value();
    json["simulated"] = recheck.simulated;
    json["closed_form_apart"] = recheck.apart;
    if (recheck.best) {
        const search::SimulatedStrategy& best = *recheck.best;
        json["simulated_best"] = Json{{"strategy", strategyJson(answer.plan, best.found)},
            {"step_s", best.found.step.value()}, {"value", best.found.value},
            {"closed_form_step_s", best.closedForm ? Json(best.closedForm->value()) : Json(nullptr)},
            {"peak_bytes", best.found.peak.value()}, {"tokens_per_s", tokensPerSecond(answer.plan, best.found.step)},
            {"own", best.ofPlan}};
    }
    for (std::string& note : notes(answer.result, answer.options, recheck))
        json["notes"].push_back(std::move(note));
}

/// A peak and its range, and whether that reaches beyond what there is.
std::string memoryOf(Bytes peak, const estimate::Estimate& e)
{
    return narration::peakAndRange(peak, e.memory)
        + (e.memory.peakHigh > e.memory.capacity ? " (--headroom keeps a share free)" : "");
}

/// The best of the search, and what it is when simulated.
std::string bestTable(const SearchAnswer& answer)
{
    const search::FoundStrategy& best = *answer.result.best;
    Table table({Align::Left, Align::Left});
    table.row({answer.recheck ? "Best in closed form" : "Best", describeFound(answer, best)});
    const auto e = estimate::estimate(planWith(answer.plan, best), {.remedies = false});
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

std::string withPartition(parallel::TensorPartition partition)
{
    return std::string(key(partition)) + " partition";
}

/// What the tensor partition brings: the best with the other.
std::string otherPartitionTable(const SearchAnswer& answer)
{
    Table table({Align::Left, Align::Left});
    const std::optional<search::FoundStrategy>& best = answer.otherPartition->best;
    std::string name = "Best with the " + withPartition(answer.otherPartition->partition);
    if (answer.otherPartition->partition == parallel::TensorPartition::SpatialTemporal
        && space::leavesOutContextPartitions(answer.space, answer.plan))
        name += " without CP";
    const std::string notProven = answer.otherPartition->isStopped
        ? std::string("not proven: stopped")
        : "not proven in " + format(answer.otherPartition->time);
    table.row({name, best ? describeFound(answer, *best) : answer.otherPartition->isProven ? "none fits" : notProven});
    if (best) {
        const auto e = estimate::estimate(planWith(answer.plan, *best), {.remedies = false});
        const std::string step = format(best->step) + (answer.recheck ? " in closed form" : "") + " ("
            + slower(best->value, answer.result.best->value) + ")";
        table.row({"Step", answer.recheck && e ? step + ", " + format(e->step) + " simulated" : step});
        table.row({"Memory",
            e ? memoryOf(best->peak, *e) : format(best->peak) + " of " + format(smallestMemory(answer.plan.cluster))});
    }
    return table.text();
}

std::string emptyTable(const std::vector<space::EmptyReason>& reasons)
{
    Table table({Align::Left, Align::Left});
    for (const space::EmptyReason& empty : reasons) {
        const auto [part, reason] = narration::describe(empty);
        table.row({part, reason});
    }
    return table.text();
}

std::string recheckText(const SearchAnswer& answer)
{
    const search::Recheck& recheck = *answer.recheck;
    std::string text;
    if (isAnother(answer.result, recheck)) {
        const search::SimulatedStrategy& best = *recheck.best;
        Table table({Align::Left, Align::Left});
        table.row({"Best simulated", describeFound(answer, best.found)});
        table.row({"Step",
            format(best.found.step) + " simulated, "
                + (best.closedForm ? format(*best.closedForm) + " in closed form" : "no closed form") + ", "
                + formatCount(tokensPerSecond(answer.plan, best.found.step)) + " tokens/s"});
        const auto e = estimate::estimate(planWith(answer.plan, best.found), {.remedies = false});
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

bool variesPartition(const plan::SearchSpace& space)
{
    const auto has = [&](parallel::TensorPartition partition) {
        return space.tensorPartitions.empty()
            || std::ranges::find(space.tensorPartitions, partition) != space.tensorPartitions.end();
    };
    return has(parallel::TensorPartition::Megatron) && has(parallel::TensorPartition::SpatialTemporal);
}

std::string describeFound(const SearchAnswer& answer, const search::FoundStrategy& found)
{
    const std::string precision =
        found.precision == answer.plan.training.precision ? "" : std::string(key(found.precision)) + " · ";
    const bool isUsual =
        found.strategy.tensorPartition == parallel::TensorPartition::Megatron; // else it is told anyway
    const bool differs = variesPartition(answer.space) && found.strategy.tp > 1;
    return precision + describeStrategy(found.strategy)
        + (isUsual && differs ? " · " + withPartition(parallel::TensorPartition::Megatron) : "");
}

std::vector<plan::Problem> searchFaults(const plan::Plan& plan)
{
    plan::Plan neutral = plan;
    neutral.strategy = {};
    std::vector<plan::Problem> problems = check(neutral, {.remedies = false});
    return hasErrors(problems) ? problems : pricing::notEstimable(neutral);
}

std::string lockWords(const std::set<plan::Dimension>& locks)
{
    std::string names;
    for (const plan::Dimension dimension : locks)
        names += (names.empty() ? "" : ", ") + std::string(key(dimension));
    return names.empty() ? names
                         : "As the project's plan has them, locked there: " + names + " (--ignore-locks frees them)\n";
}

void addLocks(const std::set<plan::Dimension>& locks, Json& json)
{
    for (const plan::Dimension dimension : locks)
        json["locks"].push_back(std::string(key(dimension)));
}

void addEmpty(const std::vector<space::EmptyReason>& reasons, Json& json)
{
    for (const space::EmptyReason& empty : reasons) {
        const auto [part, reason] = narration::describe(empty);
        json["empty"].push_back({{"dimension", part}, {"reason", reason}});
    }
}

Json toJson(const SearchAnswer& answer)
{
    const search::SearchResult& r = answer.result;
    Json pruned = Json::object();
    for (std::size_t rule = 0; rule < search::kPruneRules; ++rule)
        if (r.pruned[rule] > 0)
            pruned[std::string(key(search::PruneRule(rule)))] = r.pruned[rule];
    Json json{{"mode", std::string(key(r.mode))}, {"objective", std::string(key(answer.options.objective))},
        {"space_name", answer.space.name}, {"proven", r.proven}, {"gap", r.gap}, {"space", r.space},
        {"space_counted", r.counted}, {"evaluated", r.evaluated}, {"pruned", std::move(pruned)},
        {"unvisited", r.unvisited}, {"seconds", r.seconds}, {"threads", r.threads}, {"best", nullptr},
        {"front", Json::array()}, {"not_varied", Json::array()}};
    const std::vector<Group> groups = groupsOf(r.front);
    addFound(answer, groups, json);
    for (const auto& [part, reason] : notVaried(answer))
        json["not_varied"].push_back({{"dimension", part}, {"reason", reason}});
    addLocks(answer.locks, json);
    addRecheck(answer, groups, json);
    if (std::string note = unusedValues(r); !note.empty())
        json["notes"].push_back(std::move(note));
    if (answer.fastest)
        json["fastest"] =
            Json{{"strategy", strategyJson(answer.plan, *answer.fastest)}, {"step_s", answer.fastest->step.value()}};
    if (answer.otherPartition)
        json["other_partition"] = otherPartitionJson(answer);
    addEmpty(answer.empty, json);
    if (answer.options.byAccelerators)
        addFronts(answer, json);
    if (answer.space.framework != plan::TargetFramework::Any)
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
    if (answer.otherPartition)
        text += otherPartitionTable(answer) + '\n';
    if (answer.recheck)
        text += recheckText(answer);
    if (const std::string note = unusedValues(answer.result); !note.empty())
        text += "Note: " + note + "\n\n";
    if (answer.fastest) {
        Table table({Align::Left, Align::Left});
        table.row({"Fastest that fits",
            format(answer.fastest->step) + ", on " + countedAccelerators(rankCount(answer.fastest->strategy))});
        table.row({"Strategy", describeFound(answer, *answer.fastest)});
        text += table.text() + '\n';
    }
    if (!answer.empty.empty())
        text += "What leaves nothing\n" + emptyTable(answer.empty) + '\n';
    if (answer.why)
        text += describe(*answer.why, answer.options, answer.result.best, answer.asksOwn);
    if (!answer.marginal.empty())
        text += describe(answer.marginal, answer.options, answer.result.best);
    if (front && answer.result.best)
        text += std::string(nothingBeats(answer.options.objective)) + '\n' + frontTable(answer) + '\n';
    if (answer.options.byAccelerators)
        text += describeFronts(answer);
    text += "What became of the strategies\n" + countsTable(answer.result);
    if (answer.space.framework != plan::TargetFramework::Any)
        text += '\n' + frameworkTable(answer);
    if (answer.space.name == "calculon")
        text += "They stand for " + grouped(calculonConfigurations(answer.plan))
            + " configurations of Calculon, which also varies offload, overlap and networks.\n";
    text += "\nNot varied\n";
    Table fixedTable({Align::Left, Align::Left});
    for (const auto& [part, reason] : notVaried(answer))
        fixedTable.row({part, reason});
    return text + fixedTable.text();
}

} // namespace stratoplan::cli
