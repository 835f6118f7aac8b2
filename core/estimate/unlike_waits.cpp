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

    [[nodiscard]] int slowestOf(const cluster::KindSet& kinds, int stage)
    {
        return *std::ranges::max_element(kinds, {}, [&](int kind) { return seconds(kind, stage).value(); });
    }

    /// The whole step, over the links that nodes of that kind have alone.
    [[nodiscard]] Seconds stepOverLinks(int kind)
    {
        const cost::Machine& ofKind = m_fleet.machineOfKindAlone(m_plan.strategy, kind).machine;
        cost::StageMachine machine = m_fleet.whole(m_plan.strategy);
        machine.machine.topology = ofKind.topology;
        machine.machine.domain = ofKind.domain;
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

    /// "DGX H100, DGX A100 80 GB"; by their ids where two of `among` have one name. Of many the first.
    [[nodiscard]] std::string names(const Kinds& kinds, const Kinds& among) const
    {
        constexpr std::size_t kMostNames = 4;
        std::set<std::string_view> different;
        for (const int kind : among)
            different.insert(groupOf(kind).name);
        const bool byName = different.size() == among.size() && !different.contains("");
        std::string text;
        std::size_t named = 0;
        for (const int kind : kinds) {
            if (named++ == kMostNames)
                return text + " and " + std::to_string(kinds.size() - kMostNames) + " more";
            text += (text.empty() ? "" : ", ") + (byName ? groupOf(kind).name : groupOf(kind).id);
        }
        return text;
    }
    [[nodiscard]] std::string names(const Kinds& kinds) const { return names(kinds, kinds); }
    /// Of kinds that are as quick the first; all where they differ in the links of their stages alone.
    [[nodiscard]] std::string unlikeNames(const Kinds& kinds)
    {
        const Kinds some = unlike(kinds);
        return names(some.size() < 2 ? kinds : some);
    }
    [[nodiscard]] const cluster::NodeGroup& groupOf(int kind) const { return m_plan.cluster.nodes[firstGroup(kind)]; }
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

/// That ranks of a replica's stage lie on; of all replicas where these wait for one another.
cluster::KindSet kindsIn(const pricing::PricedReplicas& replicas, int stage, const KindsInUse& kinds)
{
    return replicas.kind.stages.empty() ? kinds.ofStage(stage) : replicas.kind.stages[std::size_t(stage)];
}

/// The same of each kind of replica: those of one wait for one another in every pass.
std::set<cluster::KindSet> waitingTogether(
    const std::vector<pricing::PricedReplicas>& priced, int stage, const KindsInUse& kinds)
{
    std::set<cluster::KindSet> sets;
    for (const pricing::PricedReplicas& replicas : priced)
        sets.insert(kindsIn(replicas, stage, kinds));
    return sets;
}

plan::Problem unlikeNodes(plan::ProblemCause cause, std::string where, double found, double limit, std::string names)
{
    return {.code = plan::ProblemCode::UnlikeNodes,
        .severity = plan::Severity::Warning,
        .where = std::move(where),
        .found = found,
        .limit = limit,
        .detail = std::move(names),
        .other = {},
        .cause = cause,
        .remedies = {}};
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
        pp > 1 ? "/strategy/rank_order" : "/strategy/pp", stages, pp, kinds.unlikeNames(mixed));
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
        plan.strategy.pp, kinds.unlikeNames(unlike));
}

/// Whether stages wait for others: for layers of these, where it is the same stages in all replicas; else each replica
/// for a stage of its own.
std::optional<plan::Problem> waitOfStages(
    const plan::Plan& plan, const std::vector<pricing::PricedReplicas>& priced, KindsInUse& kinds)
{
    bool wait = false;
    for (const pricing::PricedReplicas& replicas : priced) {
        Kinds ofReplica;
        for (int stage = 0; stage < plan.strategy.pp; ++stage)
            ofReplica.insert(kinds.slowestOf(kindsIn(replicas, stage, kinds), stage));
        wait = wait || kinds.unlike(ofReplica).size() > 1;
    }
    if (!wait)
        return std::nullopt;
    Kinds ofAll; // those that stages wait for
    for (int stage = 0; stage < plan.strategy.pp; ++stage)
        ofAll.insert(kinds.slowestOf(kinds.ofStage(stage), stage));
    return unlikeNodes(
        kinds.unlike(ofAll).size() > 1 ? plan::ProblemCause::AsManyLayers : plan::ProblemCause::EveryReplica,
        "/strategy/stage_layers", plan.strategy.pp, 0, kinds.unlikeNames(kinds.all()));
}

/// What is slow of the links of a kind of nodes, or else the nodes.
std::string placeOfLinks(int slow, int fast, const KindsInUse& kinds)
{
    const cluster::NodeGroup &a = kinds.groupOf(slow), &b = kinds.groupOf(fast);
    const std::string place = "/cluster/nodes/" + std::to_string(kinds.firstGroup(slow));
    if (sustained(a.nic) < sustained(b.nic))
        return place + "/nic";
    if (a.nicsPerNode < b.nicsPerNode)
        return place + "/nics_per_node";
    return sustained(a.scaleUp) < sustained(b.scaleUp) ? place + "/scale_up" : place;
}

/// Of nodes as quick as one another.
std::optional<plan::Problem> waitForLinks(Seconds step, KindsInUse& kinds, const std::stop_token& stop)
{
    constexpr std::size_t kMostKinds = 16; // each is a whole plan to price
    if (kinds.all().size() > kMostKinds || kinds.unlike(kinds.all()).size() > 1)
        return std::nullopt;
    std::map<int, Seconds> steps;
    for (const int kind : kinds.all()) {
        if (stop.stop_requested())
            return std::nullopt;
        steps[kind] = kinds.stepOverLinks(kind);
    }
    const auto [fast, least] = *std::ranges::min_element(steps, {}, [](const auto& known) { return known.second; });
    if (!isWait(least, step))
        return std::nullopt;
    Kinds slow;
    for (const auto& [kind, itsStep] : steps)
        if (isWait(least, itsStep))
            slow.insert(kind);
    if (slow.empty()) // none is to blame by itself
        return std::nullopt;
    Kinds named = slow;
    named.insert(fast);
    plan::Problem problem = unlikeNodes(plan::ProblemCause::SlowLinks, placeOfLinks(*slow.begin(), fast, kinds), 0,
        1 - least / step, kinds.names(slow, named));
    problem.other = kinds.names({fast}, named);
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
    if (s.stageLayers.empty())
        if (auto problem = waitOfStages(plan, priced, kinds))
            return problem;
    return s.replicaMicroBatches.empty() ? waitForLinks(step, kinds, stop) : std::nullopt;
}

} // namespace stratoplan::estimate
