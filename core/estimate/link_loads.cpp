// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/link_loads.h"

#include "core/cluster/accelerator_runs.h"

#include <algorithm>

namespace stratoplan::estimate {
namespace {

/// Accelerators of the nodes that the cables serve.
std::vector<cluster::AcceleratorRun> runsBelow(const cluster::Cluster& cluster, std::size_t connection)
{
    const std::vector<cluster::AcceleratorRun> all = acceleratorRuns(cluster);
    std::vector<cluster::AcceleratorRun> below;
    for (const std::size_t group : parallel::nodesBelow(cluster, connection))
        below.push_back(all[group]);
    return below;
}

Seconds ofGroup(const pricing::CommunicationSeconds& seconds, parallel::RankGroup group)
{
    switch (group) {
    case parallel::RankGroup::Tensor:
        return seconds.tp;
    case parallel::RankGroup::Context:
        return seconds.cp;
    case parallel::RankGroup::Expert:
        return seconds.ep;
    case parallel::RankGroup::Pipeline:
        return seconds.pp;
    default:
        return seconds.dp;
    }
}

/// Accelerators below cables.
struct Unit {
    int size = 0;
    int alignment = 0; ///< parallel::alignmentBelow
};

LinkLoad ofStage(const Estimate& estimate, const Unit& unit, int stage)
{
    LinkLoad load;
    load.stage = stage;
    const pricing::Breakdown& breakdown = estimate.stages[std::size_t(stage)];
    const parallel::Strategy strategy = stageStrategy(estimate.strategy, stage);
    Seconds sum{};
    for (const parallel::RankGroup group : groupsAcross(strategy, unit.size, unit.alignment)) {
        const Seconds seconds = ofGroup(breakdown.exposed, group) + ofGroup(breakdown.hidden, group);
        if (!(seconds > Seconds{}))
            continue;
        load.groups.push_back({group, seconds, ranksInside(strategy, group, unit.size, unit.alignment) > 1});
        sum += seconds;
    }
    load.busy = std::min(sum, estimate.step);
    load.share = load.busy / estimate.step;
    load.isBound = sum > estimate.step || std::ranges::any_of(load.groups, &GroupSeconds::worksBelow);
    return load;
}

} // namespace

LinkLoad linkLoad(const Estimate& estimate, const plan::Plan& plan, std::size_t connection)
{
    const std::vector<cluster::AcceleratorRun> below = runsBelow(plan.cluster, connection);
    const Unit unit{
        parallel::acceleratorsBelow(plan.cluster, connection), parallel::alignmentBelow(plan.cluster, connection)};
    LinkLoad most;
    for (int stage = 0; stage < int(estimate.stages.size()); ++stage)
        if (std::ranges::any_of(below, [&](const cluster::AcceleratorRun& run) {
                return stageHasRanks(estimate.strategy, stage, run.first, run.count);
            }))
            if (LinkLoad load = ofStage(estimate, unit, stage); load.busy > most.busy)
                most = std::move(load);
    return most;
}

std::vector<LinkLoad> linkLoads(const Estimate& estimate, const plan::Plan& plan)
{
    std::vector<LinkLoad> loads;
    for (std::size_t i = 0; i < plan.cluster.connections.size(); ++i)
        loads.push_back(linkLoad(estimate, plan, i));
    return loads;
}

std::optional<std::size_t> busiestLink(const std::vector<LinkLoad>& loads, const cluster::Cluster& cluster)
{
    const auto bandwidth = [&](std::size_t i) {
        return cluster.connections[i].link.bandwidth * double(cluster.connections[i].cables);
    };
    std::optional<std::size_t> busiest;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        if (!(loads[i].busy > Seconds{}))
            continue;
        if (!busiest || loads[i].busy > loads[*busiest].busy
            || (loads[i].busy == loads[*busiest].busy && bandwidth(i) < bandwidth(*busiest)))
            busiest = i;
    }
    return busiest;
}

} // namespace stratoplan::estimate
