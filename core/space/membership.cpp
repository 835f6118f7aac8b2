// SPDX-License-Identifier: Apache-2.0
#include "core/space/membership.h"

#include "core/plan/framework_rules.h"
#include "core/space/leaf_order.h"
#include "core/space/rank_orders.h"
#include "core/space/space_rules.h"

#include <algorithm>
#include <limits>

namespace stratoplan {
namespace {

/// Of some layer.
int mostReplicas(const Strategy& s, const Transformer& model)
{
    const int replicas = s.dp * s.cp;
    return layerCounts(model).moe > 0 ? std::max(replicas, s.tp / s.etp * replicas / s.ep) : replicas;
}

/// The strategy as a space would tell it: what plays no part in its price at its first value.
Strategy told(Strategy s, const Plan& plan)
{
    const int layers = plan.model.layers;
    Strategy even = s;
    even.stageLayers.clear();
    if (s.stageLayers == stageLayers(even, layers))
        s.stageLayers.clear();
    if (s.recompute == Recompute::Full && s.recomputedLayers == stageLayers(s, layers))
        s.recomputedLayers.clear();
    if (s.tp == 1)
        s.sequenceParallel = false;
    if (s.cp == 1)
        s.contextMethod = ContextMethod::Ring;
    if (s.pp == 1) {
        s.schedule = Schedule::OneFOneB;
        s.vpp = 1;
        s.timingPass = false;
        s.vocabularyPlacement = VocabularyPlacement::Ends;
    }
    if (s.vpp == 1 && s.schedule == Schedule::Interleaved)
        s.schedule = Schedule::OneFOneB;
    if (s.vpp == 1 && s.schedule == Schedule::BreadthFirst)
        s.schedule = Schedule::GPipe;
    if (s.schedule != Schedule::ZbAuto)
        s.inFlightLimit = 0;
    const int replicas = mostReplicas(s, plan.model);
    if (replicas == 1)
        s.zeroStage = 0;
    if (s.zeroStage == 0 || s.zeroShards == replicas)
        s.zeroShards = 0;
    return s;
}

/// Goes from dimension to dimension, as long as the space allows what the strategy has, and narrows the space to it.
class Narrowing {
public:
    Narrowing(
        const Plan& plan, const SearchSpace& space, Schedules schedules, const Strategy& strategy, Precision precision)
        : m_plan(plan)
        , m_schedules(schedules)
        , m_strategy(told(strategy, plan))
        , m_precision(precision)
        , m_space(space)
    {
    }

    std::optional<std::string> run()
    {
        if (auto reason = objection())
            return reason;
        degrees();
        pipeline();
        passes();
        if (m_reason.empty() && !isLeaf())
            m_reason = "this combination of layers, chunks and replicas that share";
        return m_reason.empty() ? std::nullopt : std::optional(m_reason);
    }

private:
    /// The first rule of the target framework that it breaks.
    [[nodiscard]] std::optional<std::string> objection() const
    {
        Plan plan = m_plan;
        plan.strategy = m_strategy;
        plan.training.precision = m_precision;
        const std::vector<FrameworkObjection> broken = objections(plan, m_space.framework);
        return broken.empty() ? std::nullopt : std::optional(broken.front().found);
    }

    void require(bool allowed, const std::string& what)
    {
        if (!allowed && m_reason.empty())
            m_reason = what;
    }

    void number(const char* name, IntChoice& choice, int own)
    {
        require(choice.allows(own), std::string(name) + ' ' + std::to_string(own));
        choice = {own, own, {own}};
    }

    template <class Value>
    void value(const std::string& what, std::vector<Value>& list, Value own, Value otherwise)
    {
        require(list.empty() ? own == otherwise : allowed(list, own), what);
        list = {own};
    }

    void degrees()
    {
        const Strategy& s = m_strategy;
        const int ranks = rankCount(s);
        require(m_space.leaveIdle || ranks == acceleratorCount(m_plan.cluster),
            std::to_string(ranks) + " accelerators, not all of the cluster");
        number("accelerators", m_space.accelerators, ranks);
        number("TP", m_space.tp, s.tp);
        number("CP", m_space.cp, s.cp);
        number("PP", m_space.pp, s.pp);
        number("DP", m_space.dp, s.dp);
        if (m_plan.model.moe) {
            number("EP", m_space.ep, s.ep);
            number("TP of the experts", m_space.etp, s.etp);
        }
        number("micro-batch", m_space.microBatch, s.microBatch);
        if (s.cp > 1)
            value("context parallelism by " + std::string(key(s.contextMethod)), m_space.contextMethods,
                s.contextMethod, m_plan.strategy.contextMethod);
        value(std::string(key(m_precision)), m_space.precisions, m_precision, m_plan.training.precision);
        const unsigned axes = axesInUse(s);
        const bool ordered = m_space.rankOrders.empty()
            || std::any_of(m_space.rankOrders.begin(), m_space.rankOrders.end(), [&](const RankOrder& order) {
                   return differentOrders({order, s.rankOrder}, axes).size() == 1;
               });
        require(ordered, "its rank order");
        m_space.rankOrders = {s.rankOrder};
    }

    void pipeline()
    {
        const Strategy& s = m_strategy;
        require(s.stageTp.empty(), "TP by stage");
        if (s.pp == 1)
            return;
        const std::string schedule = "schedule " + std::string(key(s.schedule));
        require(m_space.schedules.empty() || allowed(m_space.schedules, s.schedule), schedule);
        require(m_schedules != Schedules::WithClosedForm || hasClosedForm(s.schedule),
            schedule + ", which has no closed form");
        require(s.inFlightLimit == 0 && (s.schedule != Schedule::ZbAuto || m_schedules == Schedules::All),
            schedule + " with its limit");
        m_space.schedules = {s.schedule};
        if (s.schedule == Schedule::OneFOneB && s.vpp == 1)
            m_space.schedules.push_back(Schedule::Interleaved); // the same in one chunk
        number("virtual stages", m_space.vpp, s.vpp);
        split();
        const bool both = m_space.timingPasses.size() > 1 && m_schedules == Schedules::WithClosedForm;
        require(!both || !s.timingPass, "the timing pass, which has no closed form");
        value(s.timingPass ? "the timing pass" : "no timing pass", m_space.timingPasses, s.timingPass, false);
        value("vocabulary placement " + std::string(key(s.vocabularyPlacement)), m_space.vocabularyPlacements,
            s.vocabularyPlacement, VocabularyPlacement::Ends);
    }

    /// Layers that the first and the last stage have fewer than in the even split.
    void split()
    {
        Strategy even = m_strategy;
        even.stageLayers.clear();
        const std::vector<int> evenLayers = stageLayers(even, m_plan.model.layers),
                               own = stageLayers(m_strategy, m_plan.model.layers);
        const int first = evenLayers.front() - own.front(), last = evenLayers.back() - own.back();
        require(m_space.firstStageFewer.allows(first) && m_space.lastStageFewer.allows(last), "its layers per stage");
        m_space.firstStageFewer = {first, first, {first}};
        m_space.lastStageFewer = {last, last, {last}};
    }

    /// Of the groups that the space names, or any.
    void sharding()
    {
        const Strategy& s = m_strategy;
        if (mostReplicas(s, m_plan.model) == 1)
            return;
        require(m_space.zeroStages.empty() || allowed(m_space.zeroStages, s.zeroStage),
            "ZeRO-" + std::to_string(s.zeroStage));
        m_space.zeroStages = {s.zeroStage};
        const bool isNamed = m_space.zeroShards.empty() ? m_space.shardGroups == ShardGroups::Every
                                                        : allowed(m_space.zeroShards, s.zeroShards);
        if (s.zeroStage > 0 && isNamed)
            m_space.zeroShards = {s.zeroShards};
    }

    void passes()
    {
        const Strategy& s = m_strategy;
        require(s.tensorPartition == TensorPartition::Megatron,
            "the " + std::string(key(s.tensorPartition)) + " partition");
        sharding();
        if (s.tp > 1) {
            require(m_space.sequenceParallel.empty() || allowed(m_space.sequenceParallel, s.sequenceParallel),
                s.sequenceParallel ? "sequence parallelism" : "no sequence parallelism");
            m_space.sequenceParallel = {s.sequenceParallel};
        }
        require(s.stageRecompute.empty(), "recomputation by stage");
        require(m_space.recomputes.empty() || allowed(m_space.recomputes, s.recompute),
            "recomputation " + std::string(key(s.recompute)));
        m_space.recomputes = {s.recompute};
        const int layers =
            s.recomputedLayers.empty() ? 0 : *std::max_element(s.recomputedLayers.begin(), s.recomputedLayers.end());
        if (s.recompute == Recompute::Full)
            require(m_space.recomputedLayers.allows(layers),
                layers == 0 ? "recomputation of all layers"
                            : "recomputation of " + std::to_string(layers) + " layers of a stage");
        m_space.recomputedLayers = {layers, layers, {layers}};
        value("offload " + std::string(key(s.offload)), m_space.offloads, s.offload, Offload::None);
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
                found = found || told(leaf.strategy, m_plan) == m_strategy;
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
    std::string m_reason;
};

} // namespace

std::optional<std::string> outside(
    const Plan& plan, const SearchSpace& space, Schedules schedules, const Strategy& strategy, Precision precision)
{
    return Narrowing(plan, space, schedules, strategy, precision).run();
}

} // namespace stratoplan
