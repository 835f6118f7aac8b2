// SPDX-License-Identifier: Apache-2.0
// Inside of the search: the last kind of node, in which the division, the micro-batch and the way to run it are
// settled, and the place of the groups, the pipeline and the sharding are open.
#pragma once

#include "core/pricing/priced_pass.h"
#include "core/search/explore.h"

#include <cmath>
#include <functional>
#include <map>

namespace stratoplan {

class Explorer::Leaves {
public:
    Leaves(Explorer& explorer, Subtree& at);
    void open();

private:
    struct Sharding {
        ShardingPick pick;
        std::size_t groups = 0; ///< place of its shard groups among the different ones
        double peak = 0; ///< no number: not asked for yet
        int firstLayers = 0; ///< of every stage are recomputed; 0: as the pass says
    };
    /// A pipeline, and the shardings that may be tried with it.
    struct Pipeline {
        PipelinePick pick;
        const std::vector<int>* layers = nullptr; ///< of its stages; none: even
        bool isKnown = false; ///< what follows is
        std::vector<Sharding> fitting{};
        double leastPeak = INFINITY;
        std::int64_t full = 0; ///< shardings for which there is no room
        std::int64_t same = 0; ///< that fit, and are not better than another schedule's
    };
    using Pipelines = std::vector<Pipeline>; ///< of one split, or even
    /// Loops of stages in as many chunks, split alike.
    struct Uneven {
        std::span<const PipelinePick> picks;
        const std::vector<int>* layers = nullptr; ///< of their stages
        const std::vector<StageShare>* shares = nullptr; ///< of its busiest stages
        Pipelines pipelines{}; ///< none until one of them may be worth pricing
        double bound = 0; ///< in the place that is open
    };
    /// A strategy that waits for its simulation.
    struct Waiting {
        double bound = 0;
        double peak = 0;
        Strategy strategy;
    };

    [[nodiscard]] bool uses(PruneRule rule) const { return m_explorer.uses(rule); }
    [[nodiscard]] bool stopped();
    [[nodiscard]] bool isLeftOut(const PipelinePick& pick) const;
    void findUneven();
    void fitAll(Pipelines& pipelines);
    void fit(std::span<Pipeline> pipelines);
    [[nodiscard]] double peakOf(
        Strategy& strategy, const Pipeline& pipeline, const ShardingPick& sharding, int firstLayers);
    [[nodiscard]] bool risesWithRepeats(const Pipeline& pipeline) const;
    [[nodiscard]] double microBatchStep(const PlacementPick& placement);
    void dropSameClosedForm(Pipelines& pipelines, Pipeline& pipeline);
    [[nodiscard]] Pipeline* leanerTwin(Pipelines& pipelines, const Pipeline& pipeline);
    void openPlacement(const PlacementPick& placement);
    void boundUneven(const PlacementPick& placement);
    void openUneven(const PlacementPick& placement);
    [[nodiscard]] PricedPipeline leastPipeline(const PlacementPick& placement, const PipelinePick& pick);
    using ClosedForms = std::vector<std::pair<PipelinePick, Seconds>>;
    /// One for all schedules that have the same, found once; with it those of other loops.
    [[nodiscard]] Seconds closedForm(
        ClosedForms& forms, const PipelinePick& pick, const std::function<PricedPipeline()>& find);
    /// Of the strategy, which has this pipeline and sharding.
    [[nodiscard]] Seconds closedForm(const PricedPass& pass, const Pipeline& pipeline, const Sharding& sharding);
    /// The strategy as it is settled by now.
    [[nodiscard]] PricedPass placed(const GroupSpans& groups) const
    {
        return {m_explorer.m_pricing.division(m_strategy), groups};
    }
    void forgetClosedForms();
    void openPipeline(const PlacementPick& placement, double bound, Pipelines& pipelines, Pipeline& pipeline);
    void openSharding(const PlacementPick& placement, const Pipeline& pipeline, Sharding& sharding, double& bound);
    /// A bound of the strategy, and of those that only repeat more; 0: not known.
    double openLeaf(const PlacementPick& placement, const Pipeline& pipeline, const Sharding& sharding);
    [[nodiscard]] std::int64_t strategies() const
    {
        return std::int64_t(m_shardings.size() * m_firstLayers.size());
    } ///< of a placement and a pipeline
    void simulateWaiting();

    Explorer& m_explorer;
    Subtree& m_at;
    const Degrees m_degrees;
    Strategy m_strategy;
    std::vector<int> m_shardGroups;
    std::vector<ShardingPick>
        m_shardings; ///< from the stage that shares out most to the least, each over all replicas first: see NoRoom
    std::vector<int> m_firstLayers{0}; ///< of every stage that may be recomputed, by rising number; 0: as the pass says
    std::span<const PipelinePick> m_picks;
    Pipelines m_pipelines; ///< of the even split; none where other ones are asked for:
    std::vector<Uneven> m_uneven;
    bool m_paired = false; ///< one of them runs passes together
    // In the place, and of the split, that are open
    ClosedForms m_closedForms; ///< before states are sharded
    std::map<std::pair<int, int>, ClosedForms> m_shardedForms; ///< by ZeRO stage and shards
    std::vector<Waiting> m_waiting;
};

} // namespace stratoplan
