// SPDX-License-Identifier: Apache-2.0
#include "core/search/why.h"

#include "core/cluster/cluster_edits.h"
#include "core/units/named.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::search {
namespace {

constexpr NameTable<Binding, 8> kBindings{
    {{Binding::Nothing, "nothing"}, {Binding::Illegal, "illegal"}, {Binding::Framework, "framework"},
        {Binding::OutOfMemory, "out_of_memory"}, {Binding::MissesDeadline, "misses_deadline"},
        {Binding::MoreAccelerators, "more_accelerators"}, {Binding::Slower, "slower"}, {Binding::Outside, "outside"}}};

constexpr double kWorthTelling = 1e-3; // of the best step

std::vector<StepPart> difference(const pricing::Breakdown& mine, const pricing::Breakdown& best, Seconds bestStep)
{
    std::vector<StepPart> parts;
    const auto terms = estimate::stepTerms(mine), bestTerms = estimate::stepTerms(best);
    for (std::size_t i = 0; i < estimate::kStepTerms; ++i) {
        const double share = (terms[i].second - bestTerms[i].second) / bestStep;
        if (std::abs(share) >= kWorthTelling)
            parts.push_back({terms[i].first, share});
    }
    std::stable_sort(parts.begin(), parts.end(),
        [](const StepPart& a, const StepPart& b) { return std::abs(a.share) > std::abs(b.share); });
    return parts;
}

plan::Plan planOf(plan::Plan plan, const parallel::Strategy& strategy, model::Precision precision)
{
    plan.strategy = strategy;
    plan.training.precision = precision;
    return plan;
}

/// What the strategy costs, and by how much that is more than the best.
void compare(Why& why, const plan::Plan& plan, const SearchOptions& options, const Rescored& scored,
    const estimate::Estimate& mine, const std::optional<FoundStrategy>& best)
{
    const bool inMode = scored.standing != Standing::NoClosedForm && scored.found.step > Seconds{};
    why.simulated = mine.step;
    why.step = inMode ? scored.found.step : mine.step;
    if (!best)
        return;
    const auto theirs = estimate::estimate(
        planOf(plan, best->strategy, best->precision), {.remedies = false, .range = false, .catalog = options.catalog});
    if (!theirs)
        return;
    why.simulatedSlower = mine.step / theirs->step - 1;
    why.slower = inMode ? scored.found.step / best->step - 1 : why.simulatedSlower;
    SearchOptions simulated = options;
    simulated.mode = plan::SearchMode::Simulated;
    const double bestValue = inMode ? best->value : rescore(plan, {*best}, simulated).strategies.front().found.value;
    const double ownValue =
        inMode ? scored.found.value : rescore(plan, {scored.found}, simulated).strategies.front().found.value;
    why.worse = ownValue / bestValue - 1;
    why.parts = difference(mine.breakdown, theirs->breakdown, theirs->step);
}

/// Of a legal strategy.
Binding bindingOf(const Why& why, const SearchOptions& options, Standing standing, bool fits,
    const std::optional<FoundStrategy>& best)
{
    if (!why.objections.empty())
        return Binding::Framework;
    if (!fits || standing == Standing::OutOfMemory)
        return Binding::OutOfMemory;
    if (options.objective == plan::Objective::Deadline && why.step > options.longestStep)
        return Binding::MissesDeadline;
    const bool fewest =
        options.objective == plan::Objective::Deadline || options.objective == plan::Objective::SmallestCluster;
    const int ranks = best ? rankCount(best->strategy) : why.accelerators;
    if (fewest && why.accelerators > ranks)
        return Binding::MoreAccelerators;
    if (best && why.worse > 0 && !(fewest && why.accelerators < ranks))
        return Binding::Slower;
    return why.outside ? Binding::Outside : Binding::Nothing;
}

} // namespace

std::string_view key(Binding binding)
{
    return nameIn(kBindings, binding);
}

Why why(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options,
    const parallel::Strategy& strategy, model::Precision precision, const std::optional<FoundStrategy>& best,
    const std::stop_token& stop)
{
    Why result;
    result.accelerators = rankCount(strategy);
    const plan::Plan asked = planOf(plan, strategy, precision);
    const auto mine = estimate::estimate(asked, {.remedies = false, .range = false, .catalog = options.catalog});
    if (!mine) {
        result.binding = Binding::Illegal;
        result.problems = mine.error();
        std::erase_if(
            result.problems, [](const plan::Problem& problem) { return problem.severity != plan::Severity::Error; });
    } else {
        const Rescored rescored = rescore(plan, {{strategy, precision, 0, {}, {}}}, options).strategies.front();
        result.bubble = mine->breakdown.bubble / mine->step;
        result.stage = mine->memory.peakStage;
        result.objections = catalog::objections(asked, space.framework);
        result.outside = outside(plan, space, schedulesOf(options), strategy, precision);
        compare(result, plan, options, rescored, *mine, best);
        const estimate::Memory& m = mine->memory;
        const Bytes limit = m.capacity * (1 - options.headroom);
        const bool fits = mine->fits && m.peak <= limit;
        if (!fits)
            result.over = m.peak > limit ? m.peak - limit : m.hostPeak - m.hostCapacity;
        result.binding = bindingOf(result, options, rescored.standing, fits, best);
    }
    const bool stuck = result.binding == Binding::Illegal || result.binding == Binding::Framework
        || result.binding == Binding::OutOfMemory;
    result.nearest = nearestThatFits(plan, space, options, strategy, precision, stuck, stop);
    return result;
}

std::vector<MarginalValue> marginalValues(const plan::Plan& plan, const plan::SearchSpace& space, SearchOptions options,
    const parallel::Strategy& strategy, model::Precision precision, const std::stop_token& stop)
{
    options.keep = FrontKind::Best;
    options.byAccelerators = false;
    options.exhaustive = false;
    constexpr double kTenthMore = 1.1;
    std::vector<MarginalValue> values;
    const auto ofGroups = [](auto change) {
        return [change](cluster::Cluster& cluster) { std::ranges::for_each(cluster.nodes, change); };
    };
    const auto add = [&](Resource resource, double factor, const parallel::Strategy& kept, auto change) {
        plan::Plan more = plan;
        change(more.cluster);
        const SearchResult result = search(more, space, options, stop);
        values.push_back({resource, factor, result.proven ? result.best : std::nullopt,
            rescore(more, {{kept, precision, 0, {}, {}}}, options, stop).strategies.front()});
    };
    add(Resource::Memory, kTenthMore, strategy,
        ofGroups([](cluster::NodeGroup& group) { group.accelerator.memory *= kTenthMore; }));
    add(Resource::NetworkBandwidth, kTenthMore, strategy,
        [](cluster::Cluster& cluster) { speedUpNetwork(cluster, kTenthMore); });
    add(Resource::ScaleUpBandwidth, kTenthMore, strategy,
        ofGroups([](cluster::NodeGroup& group) { group.scaleUp.bandwidth *= kTenthMore; }));
    parallel::Strategy wider = strategy;
    wider.dp *= 2;
    add(Resource::Nodes, 2, wider, [](cluster::Cluster& cluster) {
        for (std::size_t group = 0; group < cluster.nodes.size(); ++group)
            setNodeCount(cluster, group, 2 * cluster.nodes[group].count);
    });
    return values;
}

} // namespace stratoplan::search
