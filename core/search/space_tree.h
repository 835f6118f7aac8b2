// SPDX-License-Identifier: Apache-2.0
// A search space laid out as a tree over one plan: divisions of the ranks, below each the ways to run a micro-batch, pipelines,
// places of the groups, and ways to shard. What is open on one floor depends only on the floors above, never on a sibling, so
// that the leaves below a node are counted without visiting them. Every floor is in a fixed order.
#pragma once

#include "core/parallel/placement.h"
#include "core/plan/search_space.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

namespace stratoplan {

/// A schedule and its chunks per stage.
struct PipelinePick {
    Schedule schedule = Schedule::OneFOneB;
    int vpp = 1;
    bool operator==(const PipelinePick&) const = default;
};

/// A ZeRO stage and the replicas that share out; 0 = all.
struct ShardingPick {
    int stage = 0;
    int shards = 0;
    bool operator==(const ShardingPick&) const = default;
};

/// A way to run a micro-batch.
struct PassPick {
    bool sequenceParallel = false;
    Recompute recompute = Recompute::None;
};

/// One place for all groups: a class of rank orders that no price tells apart.
struct PlacementPick {
    std::vector<Axis> rankOrder; ///< the first of the class
    std::vector<GroupSpans> groups; ///< by place in `shardGroups` of the degrees
};

/// Degrees, and what they leave open but for the micro-batch.
struct Degrees {
    Strategy strategy;
    std::vector<PassPick> passes;
    std::vector<ShardingPick> shardings;
    std::vector<int> shardGroups; ///< different `shards` in shardings, 0 first
    std::vector<PlacementPick> placements;
    [[nodiscard]] std::size_t groupsOf(const ShardingPick& pick) const; ///< place in shardGroups
};

/// Degrees with a micro-batch: the root of a subtree.
struct Division {
    std::shared_ptr<const Degrees> degrees;
    int microBatch = 1;
    int microBatches = 1;
    const std::vector<PipelinePick>* pipelines = nullptr; ///< of the tree
    double leastInFlight = 1; ///< micro-batches that any stage holds at its peak, whichever of the pipelines it is
    [[nodiscard]] std::int64_t leaves() const;
};

struct TreeOptions {
    bool mergePlacements = true; ///< false: every rank order by itself
};

class SpaceTree {
public:
    /// Precondition: check() finds no error in the plan beside its strategy. `plan` must stay. Stopped: incomplete.
    SpaceTree(const Plan& plan, const SearchSpace& space, const Topology& topology, const TreeOptions& options = {}, const std::stop_token& stop = {});

    [[nodiscard]] const std::vector<Division>& divisions() const { return m_divisions; }
    [[nodiscard]] std::int64_t leaves() const { return m_leaves; }

private:
    void addRanks(int ranks, const std::stop_token& stop);
    void addDegrees(Strategy strategy);
    void addMicroBatches(const std::shared_ptr<Degrees>& degrees);
    [[nodiscard]] bool legal(const Strategy& strategy);
    [[nodiscard]] std::vector<PassPick> passes(const Strategy& strategy);
    [[nodiscard]] std::vector<ShardingPick> shardings(const Strategy& strategy);
    [[nodiscard]] std::vector<PlacementPick> placements(const Degrees& degrees) const;
    struct Pipelines {
        std::vector<PipelinePick> picks;
        double leastInFlight = 1;
    };
    [[nodiscard]] const Pipelines& pipelines(int pp, int microBatches);
    [[nodiscard]] std::vector<int> chunkCounts(int pp) const;

    const Plan& m_plan;
    const SearchSpace& m_space;
    Topology m_topology;
    TreeOptions m_options;
    Plan m_scratch; ///< the plan on a cluster without a drawing, for check()
    std::vector<Schedule> m_schedules;
    std::vector<ContextMethod> m_contextMethods;
    std::vector<std::vector<Axis>> m_orders; ///< that the space allows
    std::map<std::pair<int, int>, Pipelines> m_pipelines;
    std::map<int, bool> m_tensorDegrees; ///< whether TP divides the model
    std::vector<Division> m_divisions;
    std::int64_t m_leaves = 0;
};

} // namespace stratoplan
