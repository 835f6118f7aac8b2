// SPDX-License-Identifier: Apache-2.0
// Inside of the search: pipelines of the last kind of node, and which shardings of each there is room for.
#pragma once

#include "core/search/explored_plan.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stratoplan::search {

/// A way to share out states, and how many first layers of every stage are recomputed with it.
struct LeafSharding {
    space::ShardingPick pick;
    std::size_t groups = 0; ///< place of its shard groups among the different ones
    double peak = 0; ///< no number: not asked for yet
    int firstLayers = 0; ///< of every stage are recomputed; 0: as the pass says
};

/// A pipeline, and the shardings that may be tried with it.
struct LeafPipeline {
    space::PipelinePick pick;
    const std::vector<int>* layers = nullptr; ///< of its stages; none: even
    bool isKnown = false; ///< what follows is
    std::vector<LeafSharding> fitting{};
    double leastPeak = INFINITY;
    std::int64_t full = 0; ///< shardings for which there is no room
    std::int64_t same = 0; ///< that fit, and are not better than another schedule's
};
using LeafPipelines = std::vector<LeafPipeline>; ///< of one split, or even

/// Of one node. Peaks depend on no place of a group.
class LeafRoom {
public:
    /// `strategy`: the degrees, the micro-batch and the way to run it. `firstLayers`: of every stage that may be
    /// recomputed, by rising number; 0: as the strategy says.
    LeafRoom(ExploredPlan& plan, const Opening& opening, const space::Degrees& degrees,
        const parallel::Strategy& strategy, std::span<const int> firstLayers);

    /// Of a pipeline in one place.
    [[nodiscard]] std::int64_t strategies() const { return std::int64_t(m_shardings.size() * m_firstLayers.size()); }
    /// Of the mode.
    [[nodiscard]] bool isLeftOut(const space::PipelinePick& pick) const
    {
        return m_opening.mode() == plan::SearchMode::ClosedForm && !space::hasClosedForm(pick.schedule);
    }
    void fitAll(LeafPipelines& pipelines) const;
    /// One of them.
    void fit(LeafPipelines& pipelines, LeafPipeline& pipeline) const;
    [[nodiscard]] double peak(const LeafPipeline& pipeline, const LeafSharding& sharding) const;

private:
    void apply(parallel::Strategy& strategy, const LeafPipeline& pipeline, const space::ShardingPick& sharding,
        int firstLayers) const;
    void fit(std::span<LeafPipeline> pipelines) const;
    void addFitting(
        parallel::Strategy& strategy, LeafPipeline& pipeline, const space::ShardingPick& sharding, double least) const;
    [[nodiscard]] LeafPipeline* leanerTwin(LeafPipelines& pipelines, const LeafPipeline& pipeline) const;
    void dropSameClosedForm(LeafPipelines& pipelines, LeafPipeline& pipeline) const;
    [[nodiscard]] bool hasLimit() const { return m_opening.uses(PruneRule::OutOfMemory); }
    [[nodiscard]] bool needsAllPeaks() const { return m_plan.options.keep == FrontKind::Whole || !hasLimit(); }
    [[nodiscard]] double room() const { return hasLimit() ? m_plan.valuation.mostBytes() : INFINITY; }

    ExploredPlan& m_plan;
    const Opening& m_opening;
    parallel::Strategy m_strategy;
    std::vector<int> m_shardGroups;
    std::vector<space::ShardingPick>
        m_shardings; ///< from the stage that shares out most to the least, each over all replicas first: see NoRoom
    std::vector<int> m_firstLayers;
};

} // namespace stratoplan::search
