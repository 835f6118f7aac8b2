// SPDX-License-Identifier: Apache-2.0
#include "core/space/membership.h"

#include "core/catalog/catalog.h"
#include "core/catalog/framework_rules.h"
#include "core/cluster/node_kinds.h"
#include "core/cluster/used_part.h"
#include "core/plan/dimensions.h"
#include "core/pricing/pricing_context.h"
#include "core/space/leaf_order.h"
#include "core/space/rank_orders.h"
#include "core/space/space_rules.h"

#include <algorithm>
#include <functional>
#include <set>

namespace stratoplan::space {
namespace {

/// Goes from dimension to dimension, as long as the space allows what the strategy has, and narrows the space to it.
class Narrowing {
public:
    Narrowing(const plan::Plan& plan, const plan::SearchSpace& space, Schedules schedules,
        const parallel::Strategy& strategy, model::Precision precision)
        : m_plan(plan)
        , m_schedules(schedules)
        , m_strategy(plan::canonical(strategy, plan.model))
        , m_precision(precision)
        , m_space(space)
    {
    }

    std::optional<OutsideReason> run()
    {
        objection();
        if (m_reason)
            return m_reason;
        degrees();
        pipeline();
        passes();
        require(m_reason || isLeaf(), OutsideCode::Combination);
        return m_reason;
    }

private:
    /// The first rule of the target framework that it breaks.
    void objection()
    {
        plan::Plan plan = m_plan;
        plan.strategy = m_strategy;
        plan.training.precision = m_precision;
        const std::vector<catalog::FrameworkObjection> broken = catalog::objections(plan, m_space.framework);
        require(broken.empty(), OutsideCode::Objection);
        if (m_reason)
            m_reason->objection = broken.front();
    }

    void require(bool allowed, OutsideCode code, plan::Dimension dimension = {}, int amount = 0)
    {
        if (!allowed && !m_reason)
            m_reason = OutsideReason{code, dimension, amount, m_strategy, m_precision, {}};
    }

    /// Once, where it matters; the plan has what a space leaves alone.
    void hold(plan::Dimension id)
    {
        const plan::DimensionRow& row = dimension(id);
        if (!m_held.insert(id).second || !matters(row, m_strategy, m_plan.model))
            return;
        require(allows(row, m_space, m_strategy, m_plan.strategy), OutsideCode::Value, id);
        restrictTo(row, m_space, m_strategy);
    }

    void degrees()
    {
        const int ranks = rankCount(m_strategy);
        require(
            m_space.leaveIdle || ranks == acceleratorCount(m_plan.cluster), OutsideCode::NotAllAccelerators, {}, ranks);
        require(m_space.accelerators.allows(ranks) && ranks <= joinedAccelerators(m_plan.cluster),
            OutsideCode::Accelerators, {}, ranks);
        m_space.accelerators = {ranks, ranks, {ranks}};
        for (const plan::Dimension id :
            {plan::Dimension::Tp, plan::Dimension::Cp, plan::Dimension::Pp, plan::Dimension::Dp})
            hold(id);
        for (const plan::Dimension id : {plan::Dimension::Ep, plan::Dimension::Etp})
            if (m_plan.model.moe)
                hold(id);
        hold(plan::Dimension::MicroBatch);
        hold(plan::Dimension::ContextMethod);
        require(m_space.precisions.empty() ? m_precision == m_plan.training.precision
                                           : allowed(m_space.precisions, m_precision),
            OutsideCode::Precision);
        m_space.precisions = {m_precision};
        const unsigned axes = axesInUse(m_strategy);
        const bool ordered = m_space.rankOrders.empty()
            || std::any_of(m_space.rankOrders.begin(), m_space.rankOrders.end(), [&](const parallel::RankOrder& order) {
                   return differentOrders({order, m_strategy.rankOrder}, axes).size() == 1;
               });
        require(ordered, OutsideCode::OrderOfRanks);
        m_space.rankOrders = {m_strategy.rankOrder};
    }

    void pipeline()
    {
        const parallel::Strategy& s = m_strategy;
        require(s.stageTp.empty(), OutsideCode::StageTp);
        if (s.pp == 1)
            return;
        hold(plan::Dimension::Schedule);
        require(m_schedules != Schedules::WithClosedForm || hasClosedForm(s.schedule), OutsideCode::NoClosedForm,
            plan::Dimension::Schedule);
        require(s.inFlightLimit == 0 && (s.schedule != parallel::Schedule::ZbAuto || m_schedules == Schedules::All),
            OutsideCode::Limit, plan::Dimension::Schedule);
        if (s.schedule == parallel::Schedule::OneFOneB && s.vpp == 1)
            m_space.schedules.push_back(parallel::Schedule::Interleaved); // the same in one chunk
        hold(plan::Dimension::Vpp);
        split();
        const bool both = m_space.timingPasses.size() > 1 && m_schedules == Schedules::WithClosedForm;
        require(!both || !s.timingPass, OutsideCode::TimingPass);
        hold(plan::Dimension::TimingPass);
        hold(plan::Dimension::VocabularyPlacement);
    }

    /// Layers that the first and the last stage have fewer than in the even split.
    void split()
    {
        parallel::Strategy even = m_strategy;
        even.stageLayers.clear();
        const std::vector<int> evenLayers = stageLayers(even, m_plan.model.layers),
                               ownLayers = stageLayers(m_strategy, m_plan.model.layers);
        const int first = evenLayers.front() - ownLayers.front(), last = evenLayers.back() - ownLayers.back();
        require(m_space.firstStageFewer.allows(first) && m_space.lastStageFewer.allows(last), OutsideCode::StageLayers);
        m_space.firstStageFewer = {first, first, {first}};
        m_space.lastStageFewer = {last, last, {last}};
    }

    /// Of the groups that the space names, or any.
    void sharding()
    {
        const parallel::Strategy& s = m_strategy;
        hold(plan::Dimension::ZeroStage);
        const bool isNamed = m_space.zeroShards.empty() ? m_space.shardGroups == plan::ShardGroups::Every
                                                        : allowed(m_space.zeroShards, s.zeroShards);
        if (s.zeroStage > 0 && isNamed)
            m_space.zeroShards = {s.zeroShards};
    }

    void passes()
    {
        const parallel::Strategy& s = m_strategy;
        require(s.replicaMicroBatches.empty(), OutsideCode::ReplicaBatches);
        require(s.operatorPartitions.empty(), OutsideCode::OperatorPartitions);
        require(s.tensorPartition == parallel::TensorPartition::Megatron || s.tp == 1 || s.cp == 1
                || m_space.contextPartitions,
            OutsideCode::ContextPartitions);
        sharding();
        hold(plan::Dimension::SequenceParallel);
        require(s.stageRecompute.empty(), OutsideCode::StageRecompute);
        hold(plan::Dimension::Recompute);
        const int layers =
            s.recomputedLayers.empty() ? 0 : *std::max_element(s.recomputedLayers.begin(), s.recomputedLayers.end());
        if (s.recompute == parallel::Recompute::Full)
            require(m_space.recomputedLayers.allows(layers),
                layers == 0 ? OutsideCode::AllRecomputed : OutsideCode::SomeRecomputed, {}, layers);
        m_space.recomputedLayers = {layers, layers, {layers}};
        for (const plan::DimensionRow& row : plan::dimensions())
            if (row.whereOpen == plan::WhereOpen::Usual)
                hold(row.id);
    }

    /// Whether the tree of what is left has it.
    [[nodiscard]] bool isLeaf() const
    {
        plan::Plan plan = m_plan;
        plan.strategy.contextMethod = m_strategy.contextMethod;
        const Schedules schedules = m_schedules == Schedules::WithClosedForm ? Schedules::All : m_schedules;
        bool found = false;
        std::stop_source enough;
        LeafOrder(plan, m_space, schedules, {})
            .visit(0, 1, enough.get_token(), [&](std::int64_t, const LeafOrder::Leaf& leaf) {
                found = found || plan::canonical(leaf.strategy, m_plan.model) == m_strategy;
                if (found)
                    enough.request_stop();
            });
        return found;
    }

    const plan::Plan& m_plan;
    Schedules m_schedules;
    parallel::Strategy m_strategy;
    model::Precision m_precision;
    plan::SearchSpace m_space;
    std::set<plan::Dimension> m_held;
    std::optional<OutsideReason> m_reason;
};

} // namespace

std::optional<OutsideReason> outside(const plan::Plan& plan, const plan::SearchSpace& space, Schedules schedules,
    const parallel::Strategy& stated, model::Precision precision)
{
    parallel::Strategy strategy = stated;
    if (std::ranges::adjacent_find(stated.replicaMicroBatches, std::not_equal_to()) == stated.replicaMicroBatches.end())
        strategy.replicaMicroBatches.clear(); // even
    if (!cluster::NodeKinds(plan.cluster).areUnlike())
        return Narrowing(plan, space, schedules, strategy, precision).run();
    // Where others have even layers and batches, stages and replicas on unlike nodes have them by their speed.
    plan::Plan asked = plan;
    asked.training.precision = precision;
    pricing::PricingContext pricing(asked, catalog::shippedCatalog());
    const int layers = plan.model.layers;
    const auto hasItsLayers = [&](const parallel::Strategy& other) {
        return stageLayers(other, layers) == stageLayers(strategy, layers);
    };
    parallel::Strategy open = strategy;
    open.replicaMicroBatches.clear();
    parallel::Strategy even = open;
    pricing::setStageLayers(even, {}, layers);
    const parallel::Strategy bySpeed = withBalancedLayers(pricing, even);
    if (!hasItsLayers(bySpeed) && hasItsLayers(even))
        return OutsideReason{OutsideCode::StageLayers, {}, 0, bySpeed, precision, {}};
    const parallel::Strategy divided = withBalancedBatch(pricing, open);
    if (divided.replicaMicroBatches != strategy.replicaMicroBatches)
        return OutsideReason{OutsideCode::ReplicaBatches, {}, 0, divided, precision, {}};
    return Narrowing(plan, space, schedules, hasItsLayers(bySpeed) ? even : open, precision).run();
}

} // namespace stratoplan::space
