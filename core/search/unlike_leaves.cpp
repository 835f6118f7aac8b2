// SPDX-License-Identifier: Apache-2.0
#include "core/search/unlike_leaves.h"

#include "core/pricing/strategy_price.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace stratoplan::search {
namespace {

class UnlikeLeafOpener {
public:
    UnlikeLeafOpener(ExploredPlan& plan, Opening& opening, const space::Degrees& degrees, const space::PassPick& pick,
        const parallel::Strategy& strategy, const std::vector<int>& firstLayers)
        : m_plan(plan)
        , m_opening(opening)
        , m_degrees(degrees)
        , m_pick(pick)
        , m_strategy(strategy)
        , m_firstLayers(firstLayers)
        , m_leavesOutFull(!plan.options.exhaustive && !plan.options.off.contains(PruneRule::OutOfMemory))
    {
    }

    void open()
    {
        for (const parallel::RankOrder& order : m_degrees.orders) {
            m_strategy.rankOrder = order;
            openOrder();
            if (m_opening.isStopped())
                return;
        }
        priceAll();
    }

private:
    struct Leaf {
        double bound = 0; ///< of the value
        double peak = 0; ///< of the peak
        parallel::Strategy strategy;
    };

    void openOrder()
    {
        const int pp = m_strategy.pp;
        m_strategy.stageLayers.clear();
        m_strategy.replicaMicroBatches.clear();
        m_seconds = m_plan.pricing.unlike()->stageSeconds(m_strategy);
        m_replicas = m_plan.pricing.unlike()->replicaSeconds(m_strategy);
        parallel::Strategy separate = m_strategy;
        separate.zeroStage = 0;
        m_kinds = m_plan.pricing.fleet().replicaKinds(separate, m_plan.pricing.plan().training.software);
        for (const space::PipelinePick& pipeline :
            m_plan.tree.pipelines(pp, m_plan.microBatches(m_strategy), m_pick.kind())) {
            if (m_opening.mode() == plan::SearchMode::ClosedForm && !space::hasClosedForm(pipeline.schedule))
                continue;
            if (!m_pick.uneven) {
                openPipeline({pipeline, nullptr});
                continue;
            }
            for (const std::vector<int>& layers : m_plan.tree.unevenSplits(pp, pipeline.vpp))
                openPipeline({pipeline, &layers});
        }
    }

    void openPipeline(const space::SplitPick& split)
    {
        split.applyTo(m_strategy);
        if (m_seconds && !m_pick.uneven)
            m_strategy.stageLayers =
                pricing::UnlikePrices::balancedLayers(m_strategy, m_plan.tree.layers(), *m_seconds);
        const parallel::Strategy asSplit = m_strategy;
        for (const space::ShardingPick& sharding : m_degrees.shardings)
            for (const int firstLayers : m_firstLayers) {
                if (m_opening.isStopped())
                    return;
                m_strategy = asSplit;
                m_strategy.zeroStage = sharding.stage;
                m_strategy.zeroShards = sharding.shards;
                if (firstLayers > 0)
                    space::recomputeFirst(m_strategy, m_plan.tree.layers(), firstLayers);
                m_strategy.replicaMicroBatches = m_plan.pricing.unlike()->balancedBatch(m_strategy, m_replicas);
                judge();
            }
        m_strategy = asSplit;
    }

    /// Peaks of stages depend on no node, but for the limit that a ZB-auto takes from their memory: with the least it
    /// holds no more than with any.
    void judge()
    {
        Leaf leaf;
        if (m_leavesOutFull) {
            parallel::Strategy leanest = m_strategy;
            if (leanest.schedule == parallel::Schedule::ZbAuto && leanest.inFlightLimit == 0)
                leanest.inFlightLimit = 1;
            const double most = m_plan.peaks.exact(leanest);
            if (most > m_plan.valuation.mostBytes())
                return m_opening.drop(PruneRule::OutOfMemory, 1);
            leaf.peak = m_plan.valuation.leastPeak(most) * (1 - kSumRounding);
        }
        if (m_opening.uses(PruneRule::ClosedFormBound)) {
            const bool wait = replicasWaitEachMicroBatch(m_strategy, m_plan.pricing.plan().training.software);
            const std::vector<pricing::PricedPipeline> least =
                m_plan.pricing.unlike()->leastPipelines(m_strategy, wait ? m_all : m_kinds);
            for (const auto time :
                {pricing::PipelineTime::ClosedForm, pricing::PipelineTime::Bound}) { // the dearer last
                if (time == pricing::PipelineTime::Bound && m_opening.mode() == plan::SearchMode::ClosedForm)
                    break;
                Seconds step{};
                for (const pricing::PricedPipeline& replicas : least)
                    step = std::max(step, replicas.step(time));
                leaf.bound = m_plan.valuation.bound(step, m_strategy) * (1 - kSumRounding);
                if (const auto rule = m_opening.against(PruneRule::ClosedFormBound, leaf.bound, leaf.peak))
                    return m_opening.drop(*rule, 1);
            }
        }
        leaf.strategy = m_strategy;
        m_leaves.push_back(std::move(leaf));
    }

    /// The most promising first: most of the others then need no price.
    void priceAll()
    {
        std::ranges::stable_sort(m_leaves, {}, &Leaf::bound);
        const auto time = m_opening.mode() == plan::SearchMode::Simulated ? pricing::PipelineTime::Simulated
                                                                          : pricing::PipelineTime::ClosedForm;
        for (const Leaf& leaf : m_leaves) {
            if (m_opening.isStopped())
                return;
            if (m_opening.uses(PruneRule::ClosedFormBound))
                if (const auto rule = m_opening.against(PruneRule::ClosedFormBound, leaf.bound, leaf.peak)) {
                    m_opening.drop(*rule, 1);
                    continue;
                }
            m_opening.countEvaluated();
            const auto priced = price(m_plan.pricing, leaf.strategy, time);
            if (priced && priced->fitsWith(m_plan.options.headroom))
                record(m_plan, m_opening, priced->step, priced->peak.value(), leaf.strategy);
        }
    }

    ExploredPlan& m_plan;
    Opening& m_opening;
    const space::Degrees& m_degrees;
    const space::PassPick& m_pick;
    parallel::Strategy m_strategy;
    const std::vector<int>& m_firstLayers;
    bool m_leavesOutFull; ///< what no accelerator has the memory for
    std::optional<pricing::UnlikePrices::StageSeconds> m_seconds; ///< in the order that is open
    std::vector<pricing::UnlikePrices::ReplicaSeconds> m_replicas; ///< the same
    std::vector<parallel::ReplicaKind> m_kinds; ///< the same, of replicas that do not wait for one another
    const std::vector<parallel::ReplicaKind> m_all{{}};
    std::vector<Leaf> m_leaves;
};

} // namespace

void openUnlikeLeaves(ExploredPlan& plan, Opening& opening, const space::Degrees& degrees, const space::PassPick& pick,
    const parallel::Strategy& strategy, const std::vector<int>& firstLayers)
{
    UnlikeLeafOpener(plan, opening, degrees, pick, strategy, firstLayers).open();
}

} // namespace stratoplan::search
