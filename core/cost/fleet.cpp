// SPDX-License-Identifier: Apache-2.0
#include "core/cost/fleet.h"

#include "core/parallel/placement.h"

#include <algorithm>
#include <set>

namespace stratoplan::cost {
namespace {

/// Levels inside nodes that both have alike stay, the others become those of all.
void shareNetwork(cluster::Topology& topology, const cluster::Topology& ofAll)
{
    cluster::Topology shared = ofAll;
    for (std::size_t i = 0; i < std::min(topology.levels.size(), shared.levels.size()); ++i) {
        const cluster::TopologyLevel& level = topology.levels[i];
        const bool isOfNodes = i == 0 || level.isBypassed;
        if (!isOfNodes || level.size != shared.levels[i].size || shared.levels[i].alignment != 0)
            break;
        shared.levels[i] = level;
    }
    topology = std::move(shared);
}

} // namespace

Fleet::Fleet(const plan::Plan& plan, const catalog::Catalog& catalog)
    : m_catalog(&catalog)
    , m_whole{cost::machine(plan, catalog), smallestMemory(plan.cluster)}
{
    cluster::NodeKinds kinds(plan.cluster);
    if (!kinds.areUnlike())
        return;
    m_unlike = std::make_unique<Unlike>(Unlike{{}, std::move(kinds), {}});
    m_unlike->plan.cluster = plan.cluster;
    m_unlike->plan.training = plan.training;
}

Fleet::Fleet(const StageMachine& only)
    : m_catalog(nullptr)
    , m_whole(only)
{
}

const StageMachine& Fleet::whole(const parallel::Strategy& strategy)
{
    if (!isUnlike())
        return m_whole;
    const int ranks = rankCount(strategy);
    std::set<int> used, all;
    for (const cluster::KindRun& run : m_unlike->kinds.runs()) {
        all.insert(run.kind);
        if (run.first < ranks)
            used.insert(run.kind);
    }
    if (used.size() == all.size())
        return m_whole;
    const cluster::KindSet kinds(used.begin(), used.end());
    return machineOn(kinds, kinds);
}

const StageMachine& Fleet::machineOf(const parallel::Strategy& strategy, int stage)
{
    if (!isUnlike())
        return m_whole;
    const cluster::KindSet kinds = kindsOfStage(strategy, stage, m_unlike->kinds);
    if (kinds.empty()) // beyond the cluster
        return m_whole;
    return machineOn(kinds, kinds);
}

const StageMachine& Fleet::machineOf(
    const parallel::Strategy& strategy, int stage, const parallel::ReplicaKind& replicas)
{
    if (replicas.stages.empty() || replicas.stages[std::size_t(stage)].empty())
        return machineOf(strategy, stage);
    return machineOn(replicas.stages[std::size_t(stage)], kindsOfStage(strategy, stage, m_unlike->kinds));
}

std::vector<parallel::ReplicaKind> Fleet::replicaKinds(
    const parallel::Strategy& strategy, const plan::SoftwareProfile& software) const
{
    if (!strategy.stageTp.empty()) // a stage's ranks may be those of several replicas
        return {{}};
    if (isUnlike() && !replicasWaitEachMicroBatch(strategy, software))
        return parallel::replicaKinds(strategy, m_unlike->kinds);
    if (!strategy.replicaMicroBatches.empty())
        return parallel::replicaKinds(strategy, cluster::NodeKinds(cluster::Cluster{}));
    return {{}};
}

const StageMachine& Fleet::machineOn(const cluster::KindSet& kinds, const cluster::KindSet& ofAll)
{
    const auto [known, isNew] = m_unlike->machines.try_emplace({kinds, ofAll});
    StageMachine& found = known->second;
    if (!isNew)
        return found;
    found.number = int(m_unlike->machines.size()) - 1;
    const std::vector<std::size_t> groups = m_unlike->kinds.groupsOf(kinds);
    found.machine = cost::machine(m_unlike->plan, *m_catalog, groups);
    if (kinds != ofAll)
        shareNetwork(found.machine.topology, machineOn(ofAll, ofAll).machine.topology);
    found.memory = m_unlike->plan.cluster.nodes[groups.front()].accelerator.memory;
    for (const std::size_t group : groups)
        found.memory = std::min(found.memory, m_unlike->plan.cluster.nodes[group].accelerator.memory);
    return found;
}

Bytes Fleet::mostHostCapacity() const
{
    Bytes most = m_whole.machine.hostCapacity;
    if (isUnlike())
        for (const cluster::NodeGroup& group : m_unlike->plan.cluster.nodes)
            if (takesPart(group))
                most = std::max(most, group.hostMemory / double(std::max(1, group.acceleratorsPerNode)));
    return most;
}

FlopsPerSecond Fleet::meanPeak(const parallel::Strategy& strategy)
{
    if (!isUnlike())
        return m_whole.machine.peak;
    const int ranks = rankCount(strategy);
    FlopsPerSecond sum{};
    for (const cluster::KindRun& run : m_unlike->kinds.runs())
        if (const int used = std::clamp(ranks - run.first, 0, run.count); used > 0)
            sum += machineOn({run.kind}, {run.kind}).machine.peak * used;
    return sum / double(ranks);
}

} // namespace stratoplan::cost
