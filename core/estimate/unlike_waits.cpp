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

/// The kinds of nodes that a plan's ranks lie on, and how fast each is.
class KindsInUse {
public:
    KindsInUse(const plan::Plan& plan, const pricing::PricedReplicas& priced, cost::Fleet& fleet)
        : m_plan(plan)
        , m_kinds(plan.cluster)
    {
        for (int stage = 0; stage < plan.strategy.pp; ++stage)
            for (const int kind : kindsOfStage(plan.strategy, stage, m_kinds))
                m_all.insert(kind);
        if (m_all.size() < 2)
            return;
        for (const int kind : m_all) {
            const parallel::ReplicaKind alone{
                std::vector(std::size_t(plan.strategy.pp), cluster::KindSet{kind}), priced.kind.replicas};
            const pricing::PricedStages stages = pricing::priceStages(priced.plan, fleet, alone);
            for (const pipeline::StageWork& stage : pipelineWork(priced.plan, stages, 1).stages)
                m_seconds[kind].push_back(passes(stage));
        }
    }

    [[nodiscard]] const Kinds& all() const { return m_all; }
    /// That ranks of a stage lie on, of all replicas.
    [[nodiscard]] cluster::KindSet ofStage(int stage) const { return kindsOfStage(m_plan.strategy, stage, m_kinds); }
    /// What the passes of a micro-batch take a stage whose ranks are all on the kind.
    [[nodiscard]] Seconds seconds(int kind, int stage) const { return m_seconds.at(kind)[std::size_t(stage)]; }

    /// The least and the most of these kinds.
    template <class Set>
    [[nodiscard]] std::pair<Seconds, Seconds> secondsOf(const Set& kinds, int stage) const
    {
        const auto [least, most] =
            std::ranges::minmax(kinds, {}, [&](int kind) { return seconds(kind, stage).value(); });
        return {seconds(least, stage), seconds(most, stage)};
    }

    /// "DGX H100, DGX A100 80 GB", of kinds that are as quick the first; by their ids where two have one name.
    [[nodiscard]] std::string names(const Kinds& kinds) const
    {
        Kinds unlike;
        for (const int kind : kinds)
            if (std::ranges::none_of(unlike, [&](int other) { return areAsQuick(kind, other); }))
                unlike.insert(kind);
        std::vector<const cluster::NodeGroup*> groups;
        std::set<std::string_view> different;
        for (const int kind : unlike) {
            groups.push_back(&m_plan.cluster.nodes[m_kinds.groupsOf({kind}).front()]);
            different.insert(groups.back()->name);
        }
        const bool byName = different.size() == groups.size() && !different.contains("");
        std::string text;
        for (const cluster::NodeGroup* group : groups)
            text += (text.empty() ? "" : ", ") + (byName ? group->name : group->id);
        return text;
    }

private:
    [[nodiscard]] bool areAsQuick(int a, int b) const
    {
        for (int stage = 0; stage < m_plan.strategy.pp; ++stage)
            if (const auto [least, most] = secondsOf(Kinds{a, b}, stage); isWait(least, most))
                return false;
        return true;
    }

    const plan::Plan& m_plan;
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
    const plan::Plan& plan, const std::vector<pricing::PricedReplicas>& priced, const KindsInUse& kinds)
{
    const int pp = plan.strategy.pp;
    Kinds mixed;
    int stages = 0;
    for (int stage = 0; stage < pp; ++stage) {
        bool wait = false;
        for (const cluster::KindSet& together : waitingTogether(priced, stage, kinds)) {
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
        pp > 1 ? "/strategy/rank_order" : "/strategy/pp", stages, pp, kinds.names(mixed));
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
    const plan::Plan& plan, const std::vector<pricing::PricedReplicas>& priced, const KindsInUse& kinds)
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
        plan.strategy.pp, kinds.names(unlike));
}

/// Whether some stage of a replica is nearer than another to what it would take on the fastest nodes.
bool stagesWait(const std::vector<pricing::PricedReplicas>& priced, const KindsInUse& kinds)
{
    return std::ranges::any_of(priced, [&](const pricing::PricedReplicas& replicas) {
        std::vector<Seconds> slowed; // each a second on the fastest
        for (int stage = 0; stage < int(replicas.work.stages.size()); ++stage)
            if (const Seconds best = kinds.secondsOf(kinds.all(), stage).first; best > Seconds{})
                slowed.emplace_back(passes(replicas.work.stages[std::size_t(stage)]) / best);
        return !slowed.empty() && isWait(std::ranges::min(slowed), std::ranges::max(slowed));
    });
}

} // namespace

std::optional<plan::Problem> waitOnUnlikeNodes(
    const plan::Plan& plan, const std::vector<pricing::PricedReplicas>& priced, cost::Fleet& fleet)
{
    if (!fleet.isUnlike())
        return std::nullopt;
    const KindsInUse kinds(plan, priced.front(), fleet);
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
        return unlikeNodes(
            plan::ProblemCause::AsManyLayers, "/strategy/stage_layers", s.pp, 0, kinds.names(kinds.all()));
    return std::nullopt;
}

} // namespace stratoplan::estimate
