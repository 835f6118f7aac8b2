// SPDX-License-Identifier: Apache-2.0
#include "core/search/divided_leaves.h"

#include "core/pricing/priced_pass.h"
#include "core/search/divided_bounds.h"
#include "core/search/no_room.h"
#include "core/search/waiting_leaves.h"

#include <algorithm>
#include <cmath>
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
        , m_placements(degrees.placements(plan.pricing.topology()))
        , m_bounds(plan, opening, strategy, m_kind)
    {
        std::stable_sort(m_shardings.begin(), m_shardings.end(),
            [](const space::ShardingPick& a, const space::ShardingPick& b) { return a.stage > b.stage; });
    }

    void open()
    {
        listSplits();
        listLeaves();
        std::ranges::stable_sort(m_leaves, {}, &Leaf::least);
        for (const Leaf& leaf : m_leaves) {
            if (m_opening.isStopped())
                return;
            open(leaf);
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

    /// A strategy whose division is open. It is told by the first order of its class, whichever order it is priced
    /// with.
    struct Leaf {
        const space::SplitPick* split;
        space::ShardingPick sharding;
        const parallel::RankOrder* order;
        const parallel::RankOrder* reportedOrder;
        double peak = 0; ///< at the least
        double least = 0; ///< value of its lightest layers, with what they compute at the least
    };

    void listLeaves()
    {
        const bool merges = m_opening.uses(PruneRule::SamePlacement);
        for (const space::SplitPick& split : m_splits) {
            if (m_opening.isStopped())
                return;
            const std::vector<RoomySharding> shardings = withRoom(split);
            for (const space::PlacementPick& placement : m_placements)
                for (const parallel::RankOrder& order : placement.orders)
                    for (const auto& [sharding, peak] : shardings)
                        if (merges && order != placement.orders.front())
                            m_opening.drop(PruneRule::SamePlacement, 1);
                        else
                            list({&split, sharding, &order, &placement.orders.front(), peak});
        }
    }

    void list(Leaf leaf)
    {
        if (m_opening.uses(PruneRule::PipelineBound)) {
            m_bounds.leavePlace(*leaf.order);
            leaf.least = std::max(m_opening.node().bound, m_bounds.value(*leaf.split, leaf.sharding));
        }
        if (!isDropped(leaf, leaf.least))
            m_leaves.push_back(leaf);
    }

    [[nodiscard]] bool isDropped(const Leaf& leaf, double bound)
    {
        const auto rule = m_opening.against(PruneRule::PipelineBound, bound, leaf.peak);
        if (rule)
            m_opening.drop(*rule, 1);
        return rule.has_value();
    }

    struct RoomySharding {
        space::ShardingPick pick;
        double peak = 0; ///< at the least
    };

    /// Where there is no room for some sharding, there is none for those that hold more, however layers are divided and
    /// wherever groups are.
    [[nodiscard]] std::vector<RoomySharding> withRoom(const space::SplitPick& split)
    {
        std::int64_t places = 0;
        for (const space::PlacementPick& placement : m_placements)
            places += std::int64_t(placement.orders.size());
        if (const auto rule = objection(split)) {
            m_opening.drop(*rule, places * std::int64_t(m_shardings.size()));
            return {};
        }
        std::vector<RoomySharding> open;
        const double peakOfNode = m_opening.node().peak;
        if (!m_opening.uses(PruneRule::OutOfMemory)) {
            for (const space::ShardingPick& sharding : m_shardings)
                open.push_back({sharding, peakOfNode});
            return open;
        }
        const std::vector<pricing::HeldLayers> held = m_bounds.held(split);
        NoRoom full(m_plan.peaks.flattens());
        for (const space::ShardingPick& sharding : m_shardings) {
            const double peak = full.holds(sharding) ? INFINITY : m_bounds.peak(held, sharding.stage);
            if (peak <= m_plan.valuation.mostBytes()) {
                open.push_back({sharding, std::max(peak, peakOfNode)});
                continue;
            }
            if (std::isfinite(peak))
                full.add(sharding);
            m_opening.drop(PruneRule::OutOfMemory, places);
        }
        return open;
    }

    /// What its layers take where the groups are takes longer to say.
    void open(const Leaf& leaf)
    {
        if (isDropped(leaf, leaf.least))
            return;
        m_strategy.rankOrder = *leaf.order;
        m_reportedOrder = *leaf.reportedOrder;
        leaf.split->applyTo(m_strategy);
        m_strategy.zeroStage = leaf.sharding.stage;
        m_strategy.zeroShards = leaf.sharding.shards;
        m_strategy.operatorPartitions.clear();
        if (!m_opening.uses(PruneRule::OutOfMemory))
            return openLeaf(m_plan.peaks.exact(m_strategy));
        m_bounds.leavePlace(*leaf.order);
        if (isDropped(leaf, m_plan.pricing.leastLayer(m_strategy))
            || isDropped(leaf, m_plan.pricing.fastestLayer(m_strategy)))
            return;
        openFitting(
            m_bounds.worthHaving(*leaf.split, leaf.sharding, m_bounds.value(*leaf.split, leaf.sharding), leaf.peak));
    }

    /// With layers that take as long, where its groups are.
    [[nodiscard]] bool isDropped(const Leaf& leaf, Seconds layer)
    {
        m_bounds.place(layer);
        return isDropped(leaf, std::max(m_bounds.value(*leaf.split, leaf.sharding), m_bounds.value(*leaf.split)));
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
    std::vector<space::PlacementPick> m_placements;
    std::vector<Leaf> m_leaves; ///< that no bound drops
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
