// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/unlike_waits.h"

#include "core/cluster/node_kinds.h"
#include "core/parallel/placement.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace stratoplan::estimate {
namespace {

using Kinds = std::set<int>;

/// Whether one that takes less waits for one that takes more; for a few thousandths of a pass nobody divides anything.
bool isWait(Seconds less, Seconds more)
{
    constexpr double kWorthTelling = 1.01;
    return more > less * kWorthTelling;
}

Seconds passes(const pipeline::StageWork& stage)
{
    return stage.forward + stage.backward;
}

Seconds slowest(const pipeline::PipelineWork& work)
{
    Seconds most{};
    for (const pipeline::StageWork& stage : work.stages)
        most = std::max(most, passes(stage));
    return most;
}

/// The kinds of nodes that a plan's ranks lie on, and how fast each is. A kind is priced when it is first asked about.
class KindsInUse {
public:
    /// Refers to all of them.
    KindsInUse(
        const plan::Plan& plan, const pricing::PricedReplicas& priced, cost::Fleet& fleet, const std::stop_token& stop)
        : m_plan(plan)
        , m_settled(priced.plan)
        , m_fleet(fleet)
        , m_stop(stop)
        , m_kinds(plan.cluster)
    {
        for (int stage = 0; stage < plan.strategy.pp; ++stage)
            for (const int kind : kindsOfStage(plan.strategy, stage, m_kinds))
                m_all.insert(kind);
    }

    [[nodiscard]] const Kinds& all() const { return m_all; }
    /// That ranks of a stage lie on, of all replicas.
    [[nodiscard]] cluster::KindSet ofStage(int stage) const { return kindsOfStage(m_plan.strategy, stage, m_kinds); }

    /// What the passes of a micro-batch take a stage whose ranks are all on one of these kinds: the least and the most.
    /// Stopped: no time.
    template <class Set>
    [[nodiscard]] std::pair<Seconds, Seconds> secondsOf(const Set& kinds, int stage)
    {
        std::pair<Seconds, Seconds> extremes{seconds(*kinds.begin(), stage), Seconds{}};
        for (const int kind : kinds) {
            if (m_stop.stop_requested())
                return {};
            extremes.first = std::min(extremes.first, seconds(kind, stage));
            extremes.second = std::max(extremes.second, seconds(kind, stage));
        }
        return extremes;
    }

    /// The whole step, over the network that nodes of that kind have alone.
    [[nodiscard]] Seconds stepAlone(int kind)
    {
        const cost::StageMachine& machine = m_fleet.machineOfKindAlone(m_plan.strategy, kind);
        cost::Fleet alone(machine);
        const pricing::PricedStages stages = pricing::priceStages(m_settled, alone);
        return makespan(pipelineWork(m_settled, stages, pricing::stretch(m_settled, machine.machine))).seconds;
    }

    /// Of kinds that are as quick the first.
    [[nodiscard]] Kinds unlike(const Kinds& kinds)
    {
        Kinds some;
        for (const int kind : kinds)
            if (std::ranges::none_of(some, [&](int other) { return areAsQuick(kind, other); }))
                some.insert(kind);
        return some;
    }

    /// "DGX H100, DGX A100 80 GB"; by their ids where two have one name.
    [[nodiscard]] std::string names(const Kinds& kinds) const
    {
        std::vector<const cluster::NodeGroup*> groups;
        std::set<std::string_view> different;
        for (const int kind : kinds) {
            groups.push_back(&m_plan.cluster.nodes[firstGroup(kind)]);
            different.insert(groups.back()->name);
        }
        const bool byName = different.size() == groups.size() && !different.contains("");
        std::string text;
        for (const cluster::NodeGroup* group : groups)
            text += (text.empty() ? "" : ", ") + (byName ? group->name : group->id);
        return text;
    }
    [[nodiscard]] std::size_t firstGroup(int kind) const { return m_kinds.groupsOf({kind}).front(); }

private:
    [[nodiscard]] Seconds seconds(int kind, int stage)
    {
        std::vector<Seconds>& known = m_seconds[kind];
        if (known.empty()) {
            cost::Fleet alone(m_fleet.machineOfKind(m_plan.strategy, kind));
            const pricing::PricedStages stages = pricing::priceStages(m_settled, alone);
            for (const pipeline::StageWork& work : pipelineWork(m_settled, stages, 1).stages)
                known.push_back(passes(work));
        }
        return known[std::size_t(stage)];
    }

    [[nodiscard]] bool areAsQuick(int a, int b)
    {
        for (int stage = 0; stage < m_plan.strategy.pp; ++stage)
            if (const auto [least, most] = secondsOf(Kinds{a, b}, stage); isWait(least, most))
                return false;
        return true;
    }

    const plan::Plan& m_plan;
    const plan::Plan& m_settled;
    cost::Fleet& m_fleet;
    const std::stop_token& m_stop;
    cluster::NodeKinds m_kinds;
    Kinds m_all;
    std::map<int, std::vector<Seconds>> m_seconds; ///< by kind, then stage
};

/// The kinds that ranks of a stage lie on which wait for one another in every pass: those of a replica, or of all.
std::set<cluster::KindSet> waitingTogether(
    const std::vector<pricing::PricedReplicas>& priced, int stage, const KindsInUse& kinds)
{
    std::set<cluster::KindSet> sets;
    for (const pricing::PricedReplicas& replicas : priced)
        sets.insert(replicas.kind.stages.empty() ? kinds.ofStage(stage) : replicas.kind.stages[std::size_t(stage)]);
    return sets;
}

plan::Problem unlikeNodes(plan::ProblemCause cause, std::string where, double found, double limit, std::string names)
{
    plan::Problem problem;
    problem.code = plan::ProblemCode::UnlikeNodes;
    problem.severity = plan::Severity::Warning;
    problem.cause = cause;
    problem.where = std::move(where);
    problem.found = found;
    problem.limit = limit;
    problem.detail = std::move(names);
    return problem;
}

std::optional<plan::Problem> waitOfRanks(
    const plan::Plan& plan, const std::vector<pricing::PricedReplicas>& priced, KindsInUse& kinds)
{
    const int pp = plan.strategy.pp;
    Kinds mixed;
    int stages = 0;
    for (int stage = 0; stage < pp; ++stage) {
        bool wait = false;
        for (const cluster::KindSet& together : waitingTogether(priced, stage, kinds)) {
            if (together.size() < 2)
                continue;
            const auto [least, most] = kinds.secondsOf(together, stage);
            if (!isWait(least, most))
                continue;
            wait = true;
            mixed.insert(together.begin(), together.end());
        }
        stages += wait;
    }
    if (stages == 0)
        return std::nullopt;
    return unlikeNodes(pp > 1 ? plan::ProblemCause::None : plan::ProblemCause::OneStage,
        pp > 1 ? "/strategy/rank_order" : "/strategy/pp", stages, pp, kinds.names(kinds.unlike(mixed)));
}

bool replicasWait(const std::vector<pricing::PricedReplicas>& priced)
{
    Seconds least = slowest(priced.front().work), most = least;
    for (const pricing::PricedReplicas& replicas : priced) {
        const Seconds pace = slowest(replicas.work);
        least = std::min(least, pace);
        most = std::max(most, pace);
    }
    return isWait(least, most);
}

plan::Problem waitOfReplicas(
    const plan::Plan& plan, const std::vector<pricing::PricedReplicas>& priced, KindsInUse& kinds)
{
    Kinds unlike;
    int stages = 0;
    for (int stage = 0; stage < plan.strategy.pp; ++stage) {
        const std::set<cluster::KindSet> sets = waitingTogether(priced, stage, kinds);
        if (sets.size() < 2)
            continue;
        ++stages;
        for (const cluster::KindSet& set : sets)
            unlike.insert(set.begin(), set.end());
    }
    return unlikeNodes(plan::ProblemCause::AsManyMicroBatches, "/strategy/replica_micro_batches", stages,
        plan.strategy.pp, kinds.names(kinds.unlike(unlike)));
}

/// Whether some stage, where it is slowest, is nearer than another to what it would take on the fastest nodes.
bool stagesWait(const std::vector<pricing::PricedReplicas>& priced, KindsInUse& kinds)
{
    std::vector<Seconds> slowed; // each a second on the fastest
    for (std::size_t stage = 0; stage < priced.front().work.stages.size(); ++stage) {
        Seconds most{};
        for (const pricing::PricedReplicas& replicas : priced)
            most = std::max(most, passes(replicas.work.stages[stage]));
        if (const Seconds best = kinds.secondsOf(kinds.all(), int(stage)).first; best > Seconds{})
            slowed.emplace_back(most / best);
    }
    return !slowed.empty() && isWait(std::ranges::min(slowed), std::ranges::max(slowed));
}

/// Of nodes as quick as one another.
std::optional<plan::Problem> waitOfNetwork(Seconds step, KindsInUse& kinds, const std::stop_token& stop)
{
    constexpr std::size_t kMostKinds = 16; // each is a whole plan to price
    if (kinds.all().size() > kMostKinds || kinds.unlike(kinds.all()).size() > 1)
        return std::nullopt;
    std::map<int, Seconds> alone;
    for (const int kind : kinds.all()) {
        if (stop.stop_requested())
            return std::nullopt;
        alone[kind] = kinds.stepAlone(kind);
    }
    const auto ofStep = [](const auto& known) { return known.second; };
    const auto best = std::ranges::min_element(alone, {}, ofStep);
    if (!isWait(best->second, step))
        return std::nullopt;
    Kinds slow;
    for (const auto& [kind, itsStep] : alone)
        if (isWait(best->second, itsStep))
            slow.insert(kind);
    if (slow.empty()) // none is to blame by itself
        return std::nullopt;
    plan::Problem problem = unlikeNodes(plan::ProblemCause::SlowNetwork,
        "/cluster/nodes/" + std::to_string(kinds.firstGroup(*slow.begin())) + "/nic", 0, 1 - best->second / step,
        kinds.names(slow));
    problem.other = kinds.names({best->first});
    return problem;
}

} // namespace

std::optional<plan::Problem> waitOnUnlikeNodes(const plan::Plan& plan,
    const std::vector<pricing::PricedReplicas>& priced, Seconds step, cost::Fleet& fleet, const std::stop_token& stop)
{
    if (!fleet.isUnlike())
        return std::nullopt;
    KindsInUse kinds(plan, priced.front(), fleet, stop);
    const parallel::Strategy& s = plan.strategy;
    if (kinds.all().size() < 2)
        return std::nullopt;
    if (auto problem = waitOfRanks(plan, priced, kinds))
        return problem;
    if (replicasWait(priced)) {
        if (s.replicaMicroBatches.empty())
            return waitOfReplicas(plan, priced, kinds);
        return std::nullopt;
    }
    if (s.stageLayers.empty() && stagesWait(priced, kinds))
        return unlikeNodes(plan::ProblemCause::AsManyLayers, "/strategy/stage_layers", s.pp, 0,
            kinds.names(kinds.unlike(kinds.all())));
    return waitOfNetwork(step, kinds, stop);
}

} // namespace stratoplan::estimate
