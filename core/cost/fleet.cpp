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

/// Whether every strategy that both have room for communicates over the one as over the other.
bool costAlike(const cluster::Topology& a, cluster::Topology b)
{
    const auto isUneven = [](const cluster::TopologyLevel& level) { return level.alignment > 0; };
    if (a.levels.size() == b.levels.size() && a.levels.size() > 1 && !std::ranges::any_of(a.levels, isUneven)) {
        b.accelerators = a.accelerators; // which end uneven units alone
        if (!b.levels.back().isBypassed)
            b.levels.back().size = a.levels.back().size; // of which there is one
    }
    return a == b;
}

cluster::KindSet kindsOf(const cluster::NodeKinds& kinds, int ranks)
{
    std::set<int> used;
    for (const cluster::KindRun& run : kinds.runs())
        if (run.first < ranks)
            used.insert(run.kind);
    return {used.begin(), used.end()};
}

} // namespace

Fleet::Fleet(const plan::Plan& plan, const catalog::Catalog& catalog)
    : m_catalog(&catalog)
{
    if (std::ranges::count_if(plan.cluster.nodes, cluster::takesPart) < 2) {
        m_only = {cost::machine(plan, catalog), smallestMemory(plan.cluster)};
        return;
    }
    cluster::NodeKinds kinds(plan.cluster);
    cluster::KindSet all = kindsOf(kinds, acceleratorCount(plan.cluster));
    std::vector<bool> together = cluster::hangTogether(plan.cluster);
    const cluster::UsedNodes used = cluster::usedNodes(plan.cluster, together, acceleratorCount(plan.cluster));
    m_groups =
        std::make_unique<Groups>(Groups{{}, std::move(kinds), std::move(all), std::move(together), used, {}, {}});
    m_groups->plan.cluster = plan.cluster;
    m_groups->plan.training = plan.training;
}

Fleet::Fleet(const StageMachine& only)
    : m_catalog(nullptr)
    , m_only(only)
{
}

cluster::UsedNodes Fleet::usedNodes(const parallel::Strategy& strategy) const
{
    return cluster::usedNodes(m_groups->plan.cluster, m_groups->together, std::max(1, rankCount(strategy)));
}

const StageMachine& Fleet::whole()
{
    if (m_groups == nullptr)
        return m_only;
    return machineOn({m_groups->allKinds, m_groups->allKinds}, m_groups->all);
}

const StageMachine& Fleet::whole(const parallel::Strategy& strategy)
{
    if (m_groups == nullptr)
        return m_only;
    const cluster::KindSet kinds = kindsOf(m_groups->kinds, std::max(1, rankCount(strategy)));
    return machineOn({kinds, kinds}, usedNodes(strategy));
}

const StageMachine& Fleet::machineOf(const parallel::Strategy& strategy, int stage)
{
    if (!isUnlike())
        return whole(strategy);
    const cluster::KindSet kinds = kindsOfStage(strategy, stage, m_groups->kinds);
    if (kinds.empty()) // beyond the cluster
        return whole();
    return machineOn({kinds, kinds}, usedNodes(strategy));
}

const StageMachine& Fleet::machineOf(
    const parallel::Strategy& strategy, int stage, const parallel::ReplicaKind& replicas)
{
    if (replicas.stages.empty() || replicas.stages[std::size_t(stage)].empty())
        return machineOf(strategy, stage);
    return machineOn(
        {replicas.stages[std::size_t(stage)], kindsOfStage(strategy, stage, m_groups->kinds)}, usedNodes(strategy));
}

const StageMachine& Fleet::machineOfKind(const parallel::Strategy& strategy, int kind)
{
    return machineOn({{kind}, kindsOf(m_groups->kinds, std::max(1, rankCount(strategy)))}, usedNodes(strategy));
}

const StageMachine& Fleet::machineOfKindAlone(const parallel::Strategy& strategy, int kind)
{
    return machineOn({{kind}, {kind}}, usedNodes(strategy));
}

std::vector<parallel::ReplicaKind> Fleet::replicaKinds(
    const parallel::Strategy& strategy, const plan::SoftwareProfile& software) const
{
    if (!strategy.stageTp.empty()) // a stage's ranks may be those of several replicas
        return {{}};
    if (isUnlike() && !replicasWaitEachMicroBatch(strategy, software))
        return parallel::replicaKinds(strategy, m_groups->kinds);
    if (!strategy.replicaMicroBatches.empty())
        return parallel::replicaKinds(strategy, cluster::NodeKinds(cluster::Cluster{}));
    return {{}};
}

const StageMachine& Fleet::machineOn(const Kinds& kinds, const cluster::UsedNodes& used)
{
    std::map<cluster::UsedNodes, const StageMachine*>& known = m_groups->ofKinds[kinds];
    if (const auto found = known.find(used); found != known.end())
        return *found->second;
    StageMachine machine = newMachine(kinds, used);
    for (const auto& [others, alike] : known) // of the same kinds, so that nothing but the network can differ
        if (costAlike(alike->machine.topology, machine.machine.topology))
            return *(known[used] = alike);
    machine.number = int(m_groups->machines.size());
    return *(known[used] = &m_groups->machines.emplace_back(std::move(machine)));
}

StageMachine Fleet::newMachine(const Kinds& kinds, const cluster::UsedNodes& used)
{
    plan::Plan plan;
    plan.cluster = usedPart(m_groups->plan.cluster, used);
    plan.training = m_groups->plan.training;
    std::vector<std::size_t> places = m_groups->kinds.groupsOf(kinds.first);
    std::erase_if(places, [&](std::size_t place) { return place >= used.groups; });
    StageMachine made;
    made.machine = cost::machine(plan, *m_catalog, places);
    if (kinds.first != kinds.second)
        shareNetwork(made.machine.topology, machineOn({kinds.second, kinds.second}, used).machine.topology);
    made.memory = plan.cluster.nodes[places.front()].accelerator.memory;
    for (const std::size_t place : places)
        made.memory = std::min(made.memory, plan.cluster.nodes[place].accelerator.memory);
    return made;
}

Bytes Fleet::mostHostCapacity() const
{
    Bytes most = m_only.machine.hostCapacity;
    if (m_groups != nullptr)
        for (const cluster::NodeGroup& group : m_groups->plan.cluster.nodes)
            if (takesPart(group))
                most = std::max(most, group.hostMemory / double(std::max(1, group.acceleratorsPerNode)));
    return most;
}

FlopsPerSecond Fleet::meanPeak(const parallel::Strategy& strategy)
{
    if (!isUnlike())
        return whole(strategy).machine.peak;
    const int ranks = rankCount(strategy);
    FlopsPerSecond sum{};
    const cluster::UsedNodes nodes = usedNodes(strategy);
    for (const cluster::KindRun& run : m_groups->kinds.runs())
        if (const int used = std::clamp(ranks - run.first, 0, run.count); used > 0)
            sum += machineOn(Kinds({run.kind}, {run.kind}), nodes).machine.peak * used;
    return sum / double(ranks);
}

} // namespace stratoplan::cost
