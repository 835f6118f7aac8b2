// SPDX-License-Identifier: Apache-2.0
#include "core/search/divided_leaves.h"

#include "core/pricing/priced_pass.h"
#include "core/search/divided_bounds.h"
#include "core/search/no_room.h"
#include "core/search/waiting_leaves.h"

#include <algorithm>
#include <map>

namespace stratoplan::search {
namespace {

class DividedLeaves {
public:
    DividedLeaves(ExploredPlan& plan, Opening& opening, const space::Degrees& degrees, const space::PassPick& pick,
        const parallel::Strategy& strategy)
        : m_plan(plan)
        , m_opening(opening)
        , m_degrees(degrees)
        , m_kind(pick.kind())
        , m_strategy(strategy)
        , m_shardings(degrees.shardings.begin(), degrees.shardings.end())
        , m_bounds(plan, opening, strategy, m_kind)
    {
        std::stable_sort(m_shardings.begin(), m_shardings.end(),
            [](const space::ShardingPick& a, const space::ShardingPick& b) { return a.stage > b.stage; });
    }

    /// A strategy is told by the first order of its class, whichever order it was priced with.
    void open()
    {
        const bool merges = m_opening.uses(PruneRule::SamePlacement);
        listSplits();
        const std::int64_t leaves = std::int64_t(m_splits.size()) * std::int64_t(m_shardings.size());
        for (const space::PlacementPick& placement : m_plan.tree.placements(m_degrees)) {
            m_reportedOrder = placement.orders.front();
            for (const parallel::RankOrder& order : placement.orders) {
                if (merges && order != m_reportedOrder) {
                    m_opening.drop(PruneRule::SamePlacement, leaves);
                    continue;
                }
                m_strategy.rankOrder = order;
                openPlacement();
            }
        }
        m_waiting.simulate(m_plan, m_opening);
    }

private:
    [[nodiscard]] parallel::Strategy reported() const
    {
        parallel::Strategy strategy = m_strategy;
        strategy.rankOrder = m_reportedOrder;
        strategy.operatorPartitions.clear();
        return strategy;
    }
    [[nodiscard]] double valueBound(Seconds step) const { return m_plan.valuation.bound(step, m_strategy); }

    void listSplits()
    {
        const int microBatches = m_plan.microBatches(m_strategy);
        const std::int64_t all = m_plan.tree.splitPipelines(m_strategy.pp, microBatches, m_kind);
        for (std::int64_t place = 0; place < all; ++place) {
            space::SplitPick split = m_plan.tree.splitPipeline(m_strategy.pp, microBatches, m_kind, place);
            if (m_opening.mode() == plan::SearchMode::Simulated || space::hasClosedForm(split.pipeline.schedule))
                m_splits.push_back(std::move(split));
        }
    }

    /// The rule that drops a pipeline whose layers are divided as fast as can be.
    [[nodiscard]] std::optional<PruneRule> objection(const space::SplitPick& split) const
    {
        const Node& node = m_opening.node();
        const double bound = std::max(node.bound, m_bounds.value(split));
        return m_opening.against(PruneRule::PipelineBound, bound, node.peak);
    }

    void openPlacement()
    {
        bool isPlaced = false;
        m_bounds.leavePlace();
        for (const space::SplitPick& split : m_splits) {
            std::optional<PruneRule> rule = objection(split);
            if (!rule && !isPlaced) { // where the groups are, which takes longer to say
                m_bounds.place(m_strategy.rankOrder);
                isPlaced = true;
                rule = objection(split);
            }
            if (rule) {
                m_opening.drop(*rule, std::int64_t(m_shardings.size()));
                continue;
            }
            split.applyTo(m_strategy);
            openSplit(split);
        }
    }

    /// Where there is no room for some sharding, there is none for those that hold more, however layers are divided.
    void openSplit(const space::SplitPick& split)
    {
        NoRoom full(m_plan.peaks.flattens());
        const bool hasLimit = m_opening.uses(PruneRule::OutOfMemory);
        std::vector<pricing::HeldLayers> held;
        std::vector<partition::Corner> within;
        if (hasLimit) {
            held = m_bounds.held(split);
            within = m_bounds.worthHaving(split);
        }
        for (const space::ShardingPick& sharding : m_shardings) {
            if (m_opening.isStopped())
                return;
            m_strategy.zeroStage = sharding.stage;
            m_strategy.zeroShards = sharding.shards;
            m_strategy.operatorPartitions.clear();
            if (!hasLimit) {
                openLeaf(m_plan.peaks.exact(m_strategy));
            } else if (full.holds(sharding)) {
                m_opening.drop(PruneRule::OutOfMemory, 1);
            } else if (m_bounds.peak(held, sharding.stage) > m_plan.valuation.mostBytes()) {
                full.add(sharding);
                m_opening.drop(PruneRule::OutOfMemory, 1);
            } else {
                openFitting(within);
            }
        }
    }

    void openFitting(const std::vector<partition::Corner>& within)
    {
        const auto* const partition = m_plan.pricing.fittingPartition(m_strategy, within);
        if (partition == nullptr)
            return m_opening.drop(ruleOf(within), 1);
        m_strategy.operatorPartitions = *partition;
        const double peak = m_plan.peaks.exact(m_strategy);
        if (peak > m_plan.valuation.mostBytes())
            m_opening.drop(PruneRule::OutOfMemory, 1);
        else
            openLeaf(peak);
    }

    /// That drops a strategy none of whose divisions are in these corners (DividedBounds::worthHaving()).
    [[nodiscard]] PruneRule ruleOf(const std::vector<partition::Corner>& within) const
    {
        if (within.front().seconds == INFINITY)
            return PruneRule::OutOfMemory;
        return m_opening.uses(PruneRule::PipelineBound) ? PruneRule::PipelineBound : PruneRule::Objective;
    }

    void openLeaf(double peak)
    {
        const pricing::PricedPass pass(m_plan.pricing.division(m_strategy), m_plan.pricing.groups(m_strategy));
        const bool simulates = m_opening.mode() == plan::SearchMode::Simulated;
        if (m_opening.uses(PruneRule::MicroBatchBound)) {
            const bool paired = pipeline::runsPairs(m_strategy.schedule);
            if (const auto rule =
                    m_opening.against(PruneRule::MicroBatchBound, valueBound(pass.microBatchStep(paired)), peak))
                return m_opening.drop(*rule, 1);
        }
        if (!simulates) {
            m_opening.countEvaluated();
            return record(m_plan, m_opening, pass.pipeline().step(pricing::PipelineTime::ClosedForm), peak, reported());
        }
        if (!m_opening.uses(PruneRule::ClosedFormBound)) {
            m_opening.countEvaluated();
            return record(m_plan, m_opening, pass.pipeline().step(pricing::PipelineTime::Simulated), peak, reported());
        }
        putOff(pass, peak);
    }

    void putOff(const pricing::PricedPass& pass, double peak)
    {
        double bound = 0;
        for (const pricing::PipelineTime time : {pricing::PipelineTime::ClosedForm, pricing::PipelineTime::Bound}) {
            bound = valueBound(pass.pipeline().step(time)); // the dearer one last
            if (const auto rule = m_opening.against(PruneRule::ClosedFormBound, bound, peak))
                return m_opening.drop(*rule, 1);
        }
        m_waiting.add(bound, peak, reported());
    }

    ExploredPlan& m_plan;
    Opening& m_opening;
    const space::Degrees& m_degrees;
    space::PipelineKind m_kind;
    parallel::Strategy m_strategy; ///< as far as it is settled
    std::vector<space::ShardingPick> m_shardings; ///< from the stage that shares out most to the least: see NoRoom
    parallel::RankOrder m_reportedOrder;
    std::vector<space::SplitPick> m_splits;
    DividedBounds m_bounds;
    WaitingLeaves m_waiting;
};

} // namespace

void openDividedLeaves(ExploredPlan& plan, Opening& opening, const space::Degrees& degrees, const space::PassPick& pick,
    const parallel::Strategy& strategy)
{
    DividedLeaves(plan, opening, degrees, pick, strategy).open();
}

} // namespace stratoplan::search
