// SPDX-License-Identifier: Apache-2.0
#include "core/search/space_tree.h"

#include "core/estimate/limits.h"
#include "core/pipeline/program.h"
#include "core/plan/problem.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

namespace stratoplan {
namespace {

constexpr std::array kAllRecomputes{Recompute::None, Recompute::Selective, Recompute::Full};

std::vector<int> divisors(int number)
{
    std::vector<int> low;
    std::vector<int> high;
    for (int i = 1; i <= number / i; ++i) {
        if (number % i != 0)
            continue;
        low.push_back(i);
        if (i != number / i)
            high.push_back(number / i);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

/// What can be estimated; 1F1B first, so that of schedules that come to the same it is the one that is named.
std::vector<Schedule> estimableSchedules(Plan plan)
{
    plan.strategy = {};
    std::vector<Schedule> all{Schedule::OneFOneB};
    for (int i = 0; !key(static_cast<Schedule>(i)).empty(); ++i) {
        plan.strategy.schedule = static_cast<Schedule>(i);
        if (plan.strategy.schedule != Schedule::OneFOneB && notEstimable(plan).empty())
            all.push_back(plan.strategy.schedule);
    }
    return all;
}

/// The usual order first, then the others in the order of their axes.
std::vector<std::vector<Axis>> allOrders()
{
    std::vector<Axis> order = Strategy{}.rankOrder;
    std::sort(order.begin(), order.end());
    std::vector<std::vector<Axis>> orders{Strategy{}.rankOrder};
    do {
        if (order != orders.front())
            orders.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return orders;
}

/// Of a rank order, all that groups can depend on: the axes that take ranks, and on which side of the replicas experts lie.
std::vector<int> orderSeen(const Strategy& s, const std::vector<Axis>& order)
{
    std::vector<int> seen;
    int replicasAt = -1;
    int expertsAt = -1;
    for (int i = 0; i < int(order.size()); ++i) {
        const Axis axis = order[std::size_t(i)];
        const int degree = axis == Axis::Tp ? s.tp : axis == Axis::Cp ? s.cp : axis == Axis::Dp ? s.dp : axis == Axis::Pp ? s.pp : 1;
        if (degree > 1)
            seen.push_back(int(axis));
        if (axis == Axis::Dp || axis == Axis::Cp)
            replicasAt = i;
        if (axis == Axis::Ep)
            expertsAt = i;
    }
    seen.push_back(s.ep > 1 && expertsAt > replicasAt ? -1 : -2);
    return seen;
}

using GroupsSeen = std::vector<Span>;

/// The groups that a price depends on. Replicas that see different sequences never communicate by themselves.
void addSeen(const GroupSpans& groups, bool shards, GroupsSeen& seen)
{
    for (std::size_t i = 0; i < kRankGroups; ++i) {
        const auto group = RankGroup(i);
        const bool ofShards = group == RankGroup::Shards || group == RankGroup::ShardCopies || group == RankGroup::ExpertShards
            || group == RankGroup::ExpertShardCopies;
        if (group != RankGroup::Data && (shards || !ofShards))
            seen.push_back(groups[group]);
    }
}

int replicasOfExperts(const Strategy& s)
{
    return s.tp / s.etp * s.dp * s.cp / s.ep;
}

} // namespace

std::size_t Degrees::groupsOf(const ShardingPick& pick) const
{
    return static_cast<std::size_t>(std::find(shardGroups.begin(), shardGroups.end(), pick.shards) - shardGroups.begin());
}

std::int64_t Division::leaves() const
{
    return std::int64_t(degrees->passes.size()) * std::int64_t(pipelines->size()) * std::int64_t(degrees->shardings.size())
        * std::int64_t(degrees->placements.size());
}

SpaceTree::SpaceTree(
    const Plan& plan, const SearchSpace& space, const Topology& topology, const TreeOptions& options, const std::stop_token& stop)
    : m_plan(plan)
    , m_space(space)
    , m_topology(topology)
    , m_options(options)
    , m_scratch(plan)
    , m_schedules(estimableSchedules(plan))
    , m_contextMethods(space.contextMethods.empty() ? std::vector{plan.strategy.contextMethod} : space.contextMethods)
    , m_orders(space.rankOrders.empty() ? allOrders() : space.rankOrders)
{
    std::erase_if(m_schedules, [&](Schedule schedule) {
        return !space.schedules.empty() && std::find(space.schedules.begin(), space.schedules.end(), schedule) == space.schedules.end();
    });
    m_scratch.cluster.switches.clear();
    m_scratch.cluster.connections.clear();
    const int all = acceleratorCount(plan.cluster);
    int perNode = all;
    for (const NodeGroup& group : plan.cluster.nodes)
        if (takesPart(group))
            perNode = std::gcd(perNode, group.acceleratorsPerNode);
    if (space.accelerators.allows(all))
        addRanks(all, stop);
    for (int ranks = all - perNode; space.leaveIdle && ranks > 0 && !stop.stop_requested(); ranks -= perNode)
        if (space.accelerators.allows(ranks))
            addRanks(ranks, stop);
}

bool SpaceTree::legal(const Strategy& strategy)
{
    m_scratch.strategy = strategy;
    m_scratch.strategy.pp = 1; // pipelines have rules of their own
    return !hasErrors(check(m_scratch, {.remedies = false}));
}

void SpaceTree::addRanks(int ranks, const std::stop_token& stop)
{
    const auto tensorLegal = [&](int tp) {
        const auto [known, isNew] = m_tensorDegrees.try_emplace(tp, false);
        if (isNew) {
            m_scratch.training.globalBatch = 1;
            Strategy s;
            s.tp = tp;
            known->second = legal(s);
            m_scratch.training.globalBatch = m_plan.training.globalBatch;
        }
        return known->second;
    };
    const int batch = m_plan.training.globalBatch;
    const int length = m_plan.training.sequenceLength;
    const int mostStages = m_plan.model.layers + 2;
    Strategy s;
    for (const int tp : divisors(ranks)) {
        if (!m_space.tp.allows(tp) || !tensorLegal(tp))
            continue;
        for (const int cp : divisors(ranks / tp)) {
            if (!m_space.cp.allows(cp) || (cp > 1 && length % (2 * cp) != 0))
                continue;
            for (const int pp : divisors(ranks / tp / cp)) {
                const int dp = ranks / tp / cp / pp;
                if (stop.stop_requested())
                    return;
                if (pp > mostStages || !m_space.pp.allows(pp) || !m_space.dp.allows(dp) || batch % dp != 0)
                    continue;
                s.tp = tp;
                s.cp = cp;
                s.pp = pp;
                s.dp = dp;
                for (const ContextMethod method : m_contextMethods) {
                    s.contextMethod = method;
                    addDegrees(s);
                    if (cp == 1)
                        break;
                }
            }
        }
    }
}

/// With every way to divide the experts.
void SpaceTree::addDegrees(Strategy s)
{
    const std::vector<int> expertTensor = m_plan.model.moe ? divisors(s.tp) : std::vector{1};
    const std::vector<int> expert = m_plan.model.moe ? divisors(m_plan.model.moe->experts) : std::vector{1};
    for (const int etp : expertTensor) {
        for (const int ep : expert) {
            s.etp = etp;
            s.ep = ep;
            if (m_plan.model.moe && (!m_space.etp.allows(etp) || !m_space.ep.allows(ep) || s.tp / etp * s.dp * s.cp % ep != 0))
                continue;
            if (!legal(s))
                continue;
            const auto degrees = std::make_shared<Degrees>();
            degrees->strategy = s;
            degrees->passes = passes(s);
            degrees->shardings = shardings(s);
            for (const ShardingPick& pick : degrees->shardings)
                if (degrees->groupsOf(pick) == degrees->shardGroups.size())
                    degrees->shardGroups.push_back(pick.shards);
            addMicroBatches(degrees);
        }
    }
}

void SpaceTree::addMicroBatches(const std::shared_ptr<Degrees>& degrees)
{
    if (degrees->passes.empty() || degrees->shardings.empty())
        return;
    const Strategy& s = degrees->strategy;
    for (const int b : divisors(m_plan.training.globalBatch / s.dp)) {
        if (!m_space.microBatch.allows(b))
            continue;
        const int batches = m_plan.training.globalBatch / s.dp / b;
        const Pipelines& open = pipelines(s.pp, batches);
        if (open.picks.empty())
            continue;
        if (degrees->placements.empty())
            degrees->placements = placements(*degrees);
        m_divisions.push_back({degrees, b, batches, &open.picks, open.leastInFlight});
        m_leaves += m_divisions.back().leaves();
    }
}

std::vector<PassPick> SpaceTree::passes(const Strategy& strategy)
{
    const auto allowed = [](const auto& list, auto value) { return list.empty() || std::find(list.begin(), list.end(), value) != list.end(); };
    std::vector<PassPick> picks;
    for (const bool sequenceParallel : {false, true}) {
        const bool wanted = allowed(m_space.sequenceParallel, sequenceParallel) || (strategy.tp == 1 && !sequenceParallel);
        Strategy s = strategy;
        s.sequenceParallel = sequenceParallel;
        if (!wanted || (sequenceParallel && (strategy.tp == 1 || !legal(s))))
            continue;
        for (const Recompute recompute : kAllRecomputes)
            if (allowed(m_space.recomputes, recompute))
                picks.push_back({sequenceParallel, recompute});
    }
    return picks;
}

std::vector<ShardingPick> SpaceTree::shardings(const Strategy& strategy)
{
    std::vector<int> stages = m_space.zeroStages.empty() ? std::vector{0, 1, 2, 3} : m_space.zeroStages;
    std::sort(stages.begin(), stages.end());
    const int replicas = strategy.dp * strategy.cp;
    const int most = std::max(replicas, layerCounts(m_plan.model).moe > 0 ? replicasOfExperts(strategy) : 1);
    if (most == 1) // nothing to share out
        return {{stages.front(), 0}};
    const int domain = m_topology.levels.empty() ? 1 : m_topology.levels.front().size;
    std::vector<int> groups{0};
    for (const int shards : divisors(most)) {
        const bool wanted = m_space.shardGroups == ShardGroups::Every || (m_space.shardGroups == ShardGroups::Domain && shards == domain);
        Strategy s = strategy;
        s.zeroStage = 1;
        s.zeroShards = shards;
        if (wanted && shards > 1 && shards < most && legal(s))
            groups.push_back(shards);
    }
    std::vector<ShardingPick> picks;
    for (const int stage : stages)
        for (const int shards : groups)
            if (stage > 0 || shards == 0)
                picks.push_back({stage, shards});
    return picks;
}

std::vector<PlacementPick> SpaceTree::placements(const Degrees& degrees) const
{
    std::vector<PlacementPick> picks;
    std::set<std::vector<int>> ordersSeen;
    std::vector<GroupsSeen> groupsSeen;
    Strategy s = degrees.strategy;
    for (const std::vector<Axis>& order : m_orders) {
        if (m_options.mergePlacements && !ordersSeen.insert(orderSeen(s, order)).second)
            continue;
        s.rankOrder = order;
        PlacementPick pick{order, {}};
        GroupsSeen seen;
        for (const int shards : degrees.shardGroups) {
            s.zeroShards = shards;
            pick.groups.emplace_back(s, m_topology);
            addSeen(pick.groups.back(), shards > 0, seen);
        }
        if (m_options.mergePlacements && std::find(groupsSeen.begin(), groupsSeen.end(), seen) != groupsSeen.end())
            continue;
        groupsSeen.push_back(std::move(seen));
        picks.push_back(std::move(pick));
    }
    return picks;
}

/// Chunks per stage that leave the layers even, but that the first and the last chunk may hold one fewer (Llama 3: 126 layers in
/// 128 chunks), or those that the space lists.
std::vector<int> SpaceTree::chunkCounts(int pp) const
{
    const int layers = m_plan.model.layers;
    std::vector<int> counts;
    for (int v = 1; v * pp <= layers + (v > 1 ? 2 : 0); ++v) {
        const int chunks = v * pp;
        const bool even = layers % chunks == 0;
        const bool natural = v == 1 || even || (layers + 1) % chunks == 0 || (layers + 2) % chunks == 0;
        if (m_space.vpp.allows(v) && (natural || !m_space.vpp.only.empty()) && (even || !m_space.evenLayers))
            counts.push_back(v);
    }
    return counts;
}

const SpaceTree::Pipelines& SpaceTree::pipelines(int pp, int microBatches)
{
    const auto [known, isNew] = m_pipelines.try_emplace({pp, microBatches});
    Pipelines& result = known->second;
    if (!isNew)
        return result;
    const std::vector<int> chunks = chunkCounts(pp);
    if (pp == 1) { // nothing to schedule
        if (!chunks.empty() && !m_schedules.empty())
            result.picks.push_back({m_schedules.front(), 1});
        return result;
    }
    Plan scratch = m_scratch;
    scratch.training.globalBatch = microBatches;
    scratch.strategy = {};
    scratch.strategy.pp = pp;
    for (const int v : chunks) {
        for (const Schedule schedule : m_schedules) {
            // Of one chunk interleaving is 1F1B, and breadth-first GPipe.
            if (v == 1 && (schedule == Schedule::Interleaved || schedule == Schedule::BreadthFirst))
                continue;
            scratch.strategy.vpp = v;
            scratch.strategy.schedule = schedule;
            if (!canSchedule(schedule, pp, v, microBatches) || hasErrors(check(scratch, {.remedies = false})))
                continue;
            result.picks.push_back({schedule, v});
            for (int stage = 0; stage < pp; ++stage)
                result.leastInFlight = std::min(result.leastInFlight, inFlight(schedule, pp, v, microBatches, stage));
        }
    }
    return result;
}

} // namespace stratoplan
