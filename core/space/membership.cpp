// SPDX-License-Identifier: Apache-2.0
#include "core/space/membership.h"

#include "core/catalog/framework_rules.h"
#include "core/plan/dimensions.h"
#include "core/space/leaf_order.h"
#include "core/space/rank_orders.h"
#include "core/space/space_rules.h"

#include <algorithm>
#include <set>

namespace stratoplan {
namespace {

/// Goes from dimension to dimension, as long as the space allows what the strategy has, and narrows the space to it.
class Narrowing {
public:
    Narrowing(
        const Plan& plan, const SearchSpace& space, Schedules schedules, const Strategy& strategy, Precision precision)
        : m_plan(plan)
        , m_schedules(schedules)
        , m_strategy(canonical(strategy, plan.model))
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
        Plan plan = m_plan;
        plan.strategy = m_strategy;
        plan.training.precision = m_precision;
        const std::vector<FrameworkObjection> broken = objections(plan, m_space.framework);
        require(broken.empty(), OutsideCode::Objection);
        if (m_reason)
            m_reason->objection = broken.front();
    }

    void require(bool allowed, OutsideCode code, Dimension dimension = {}, int amount = 0)
    {
        if (!allowed && !m_reason)
            m_reason = OutsideReason{code, dimension, amount, m_strategy, m_precision, {}};
    }

    /// Once, where it matters; the plan has what a space leaves alone.
    void hold(Dimension id)
    {
        const DimensionRow& row = dimension(id);
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
        require(m_space.accelerators.allows(ranks), OutsideCode::Accelerators, {}, ranks);
        m_space.accelerators = {ranks, ranks, {ranks}};
        for (const Dimension id : {Dimension::Tp, Dimension::Cp, Dimension::Pp, Dimension::Dp})
            hold(id);
        for (const Dimension id : {Dimension::Ep, Dimension::Etp})
            if (m_plan.model.moe)
                hold(id);
        hold(Dimension::MicroBatch);
        hold(Dimension::ContextMethod);
        require(m_space.precisions.empty() ? m_precision == m_plan.training.precision
                                           : allowed(m_space.precisions, m_precision),
            OutsideCode::Precision);
        m_space.precisions = {m_precision};
        const unsigned axes = axesInUse(m_strategy);
        const bool ordered = m_space.rankOrders.empty()
            || std::any_of(m_space.rankOrders.begin(), m_space.rankOrders.end(), [&](const RankOrder& order) {
                   return differentOrders({order, m_strategy.rankOrder}, axes).size() == 1;
               });
        require(ordered, OutsideCode::OrderOfRanks);
        m_space.rankOrders = {m_strategy.rankOrder};
    }

    void pipeline()
    {
        const Strategy& s = m_strategy;
        require(s.stageTp.empty(), OutsideCode::StageTp);
        if (s.pp == 1)
            return;
        hold(Dimension::Schedule);
        require(m_schedules != Schedules::WithClosedForm || hasClosedForm(s.schedule), OutsideCode::NoClosedForm,
            Dimension::Schedule);
        require(s.inFlightLimit == 0 && (s.schedule != Schedule::ZbAuto || m_schedules == Schedules::All),
            OutsideCode::Limit, Dimension::Schedule);
        if (s.schedule == Schedule::OneFOneB && s.vpp == 1)
            m_space.schedules.push_back(Schedule::Interleaved); // the same in one chunk
        hold(Dimension::Vpp);
        split();
        const bool both = m_space.timingPasses.size() > 1 && m_schedules == Schedules::WithClosedForm;
        require(!both || !s.timingPass, OutsideCode::TimingPass);
        hold(Dimension::TimingPass);
        hold(Dimension::VocabularyPlacement);
    }

    /// Layers that the first and the last stage have fewer than in the even split.
    void split()
    {
        Strategy even = m_strategy;
        even.stageLayers.clear();
        const std::vector<int> evenLayers = stageLayers(even, m_plan.model.layers),
                               own = stageLayers(m_strategy, m_plan.model.layers);
        const int first = evenLayers.front() - own.front(), last = evenLayers.back() - own.back();
        require(m_space.firstStageFewer.allows(first) && m_space.lastStageFewer.allows(last), OutsideCode::StageLayers);
        m_space.firstStageFewer = {first, first, {first}};
        m_space.lastStageFewer = {last, last, {last}};
    }

    /// Of the groups that the space names, or any.
    void sharding()
    {
        const Strategy& s = m_strategy;
        hold(Dimension::ZeroStage);
        const bool isNamed = m_space.zeroShards.empty() ? m_space.shardGroups == ShardGroups::Every
                                                        : allowed(m_space.zeroShards, s.zeroShards);
        if (s.zeroStage > 0 && isNamed)
            m_space.zeroShards = {s.zeroShards};
    }

    void passes()
    {
        const Strategy& s = m_strategy;
        require(isUsual(dimension(Dimension::TensorPartition), s), OutsideCode::Value, Dimension::TensorPartition);
        sharding();
        hold(Dimension::SequenceParallel);
        require(s.stageRecompute.empty(), OutsideCode::StageRecompute);
        hold(Dimension::Recompute);
        const int layers =
            s.recomputedLayers.empty() ? 0 : *std::max_element(s.recomputedLayers.begin(), s.recomputedLayers.end());
        if (s.recompute == Recompute::Full)
            require(m_space.recomputedLayers.allows(layers),
                layers == 0 ? OutsideCode::AllRecomputed : OutsideCode::SomeRecomputed, {}, layers);
        m_space.recomputedLayers = {layers, layers, {layers}};
        for (const DimensionRow& row : dimensions())
            if (row.whereOpen == WhereOpen::Usual)
                hold(row.id);
    }

    /// Whether the tree of what is left has it.
    [[nodiscard]] bool isLeaf() const
    {
        Plan plan = m_plan;
        plan.strategy.contextMethod = m_strategy.contextMethod;
        const Schedules schedules = m_schedules == Schedules::WithClosedForm ? Schedules::All : m_schedules;
        bool found = false;
        std::stop_source enough;
        LeafOrder(plan, m_space, schedules, {})
            .visit(0, 1, enough.get_token(), [&](std::int64_t, const LeafOrder::Leaf& leaf) {
                found = found || canonical(leaf.strategy, m_plan.model) == m_strategy;
                if (found)
                    enough.request_stop();
            });
        return found;
    }

    const Plan& m_plan;
    Schedules m_schedules;
    Strategy m_strategy;
    Precision m_precision;
    SearchSpace m_space;
    std::set<Dimension> m_held;
    std::optional<OutsideReason> m_reason;
};

} // namespace

std::optional<OutsideReason> outside(
    const Plan& plan, const SearchSpace& space, Schedules schedules, const Strategy& strategy, Precision precision)
{
    return Narrowing(plan, space, schedules, strategy, precision).run();
}

} // namespace stratoplan
