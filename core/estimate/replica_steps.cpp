// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/replica_steps.h"

#include "core/cluster/node_kinds.h"
#include "core/cluster/used_part.h"
#include "core/cost/host_memory.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace stratoplan::estimate {
namespace {

std::vector<std::string> nodesOf(
    const plan::Plan& plan, const cluster::NodeKinds& kinds, const parallel::ReplicaKind& replicas)
{
    std::set<int> used;
    for (const cluster::KindSet& stage : replicas.stages)
        used.insert(stage.begin(), stage.end());
    std::vector<std::string> ids;
    const std::size_t groups = usedGroups(plan.cluster, rankCount(plan.strategy));
    for (const std::size_t group : kinds.groupsOf({used.begin(), used.end()}))
        if (group < groups)
            ids.push_back(plan.cluster.nodes[group].id);
    return ids;
}

Memory memoryOf(const pricing::PricedStages& priced)
{
    Memory m;
    m.hostPeak = priced.hostPeak;
    m.hostCapacity = priced.hostCapacity;
    m.stages.reserve(priced.memory.size());
    for (std::size_t i = 0; i < priced.memory.size(); ++i) {
        const cost::StageBytes& s = priced.memory[i];
        m.stages.push_back({s.weights, s.gradients, s.optimizer, s.activations, s.buffers, s.reserve, s.moment,
            s.byLifetime, s.inFlight, s.firstChunkShare, priced.capacity[i]});
    }
    return m;
}

cost::Filled filled(const StageMemory& stage)
{
    return {stage.total(), stage.capacity};
}

} // namespace

std::vector<ReplicaStep> replicaSteps(const plan::Plan& plan, const std::vector<pricing::PricedReplicas>& replicas,
    const std::vector<pipeline::Makespan>& steps)
{
    std::vector<ReplicaStep> all;
    if (replicas.size() < 2)
        return all;
    const cluster::NodeKinds kinds(plan.cluster);
    for (std::size_t i = 0; i < replicas.size(); ++i)
        all.push_back({int(replicas[i].kind.replicas.size()), replicas[i].work.microBatches,
            nodesOf(plan, kinds, replicas[i].kind), steps[i].seconds});
    return all;
}

Memory memoryOf(const std::vector<pricing::PricedReplicas>& replicas)
{
    Memory merged = memoryOf(replicas.front().stages);
    for (std::size_t k = 1; k < replicas.size(); ++k) {
        const Memory other = memoryOf(replicas[k].stages);
        for (std::size_t i = 0; i < merged.stages.size(); ++i)
            if (cost::fillsMore(filled(other.stages[i]), filled(merged.stages[i])))
                merged.stages[i] = other.stages[i];
        if (cost::fillsMore({other.hostPeak, other.hostCapacity}, {merged.hostPeak, merged.hostCapacity})) {
            merged.hostPeak = other.hostPeak;
            merged.hostCapacity = other.hostCapacity;
        }
    }
    std::size_t fullest = 0;
    for (std::size_t i = 1; i < merged.stages.size(); ++i)
        if (cost::fillsMore(filled(merged.stages[i]), filled(merged.stages[fullest])))
            fullest = i;
    merged.peakStage = int(fullest);
    merged.peak = merged.stages[fullest].total();
    merged.capacity = merged.stages[fullest].capacity;
    return merged;
}

} // namespace stratoplan::estimate
