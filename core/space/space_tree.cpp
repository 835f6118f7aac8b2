// SPDX-License-Identifier: Apache-2.0
#include "core/space/space_tree.h"

#include "core/pipeline/program.h"
#include "core/pricing/limits.h"
#include "core/space/space_rules.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace stratoplan::space {
namespace {

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
std::vector<parallel::Schedule> estimableSchedules(plan::Plan plan)
{
    plan.strategy = {};
    std::vector<parallel::Schedule> all{parallel::Schedule::OneFOneB};
    for (int i = 0; !key(static_cast<parallel::Schedule>(i)).empty(); ++i) {
        plan.strategy.schedule = static_cast<parallel::Schedule>(i);
        if (plan.strategy.schedule != parallel::Schedule::OneFOneB && pricing::notEstimable(plan).empty())
            all.push_back(plan.strategy.schedule);
    }
    return all;
}

} // namespace

std::vector<int> Degrees::shardGroups() const
{
    std::vector<int> groups{0}; // bounds are priced with it
    for (const ShardingPick& pick : shardings)
        if (std::find(groups.begin(), groups.end(), pick.shards) == groups.end())
            groups.push_back(pick.shards);
    return groups;
}

parallel::Strategy Division::strategy() const
{
    parallel::Strategy s;
    s.tp = tp;
    s.cp = cp;
    s.pp = pp;
    s.dp = dp;
    s.contextMethod = contextMethod;
    return s;
}

bool hasClosedForm(parallel::Schedule schedule)
{
    return shape(schedule) == parallel::PipelineShape::Loop && schedule != parallel::Schedule::ZbAuto;
}

// In one piece: half of it is what the members are made of.
SpaceTree::SpaceTree(const plan::Plan& plan, const plan::SearchSpace& space, const cluster::Topology& topology,
    Schedules schedules, LargestFirst /*largestFirst*/, const std::stop_token& stop)
    : m_layers(plan.model.layers)
    , m_globalBatch(plan.training.globalBatch)
    , m_length(plan.training.sequenceLength)
    , m_experts(plan.model.moe ? plan.model.moe->experts : 1)
    , m_hasExpertLayers(layerCounts(plan.model).moe > 0)
    , m_space(space)
    , m_topology(topology)
    , m_schedules(estimableSchedules(plan))
    , m_contextMethods(space.contextMethods.empty() ? std::vector{plan.strategy.contextMethod} : space.contextMethods)
    , m_orders(space.rankOrders.empty() ? allRankOrders() : space.rankOrders)
    , m_placements(space.vocabularyPlacements.empty() ? std::vector{parallel::VocabularyPlacement::Ends}
                                                      : space.vocabularyPlacements)
    , m_timingPasses(space.timingPasses.empty() ? std::vector{false} : space.timingPasses)
    , m_dividesVocabulary(std::any_of(m_placements.begin(), m_placements.end(),
          [](parallel::VocabularyPlacement p) { return p != parallel::VocabularyPlacement::Ends; }))
    , m_hasEven(space.firstStageFewer.allows(0) && space.lastStageFewer.allows(0))
    , m_hasUneven(!space.evenLayers
          && !(space.firstStageFewer == plan::IntChoice::just(0) && space.lastStageFewer == plan::IntChoice::just(0)))
{
    if (schedules == Schedules::WithClosedForm && m_timingPasses.size() > 1)
        m_timingPasses = {false}; // only the simulation tells them apart
    findOffloads(plan);
    std::erase_if(m_schedules, [&](parallel::Schedule schedule) {
        return !allowed(space.schedules, schedule)
            || (schedules == Schedules::WithClosedForm && !hasClosedForm(schedule))
            || (schedules == Schedules::WithOwnLimits && schedule == parallel::Schedule::ZbAuto);
    });
    for (const int b : divisors(m_globalBatch))
        if (space.microBatch.allows(b))
            m_microBatches.push_back(b);
    m_rules = std::make_unique<Rules>(plan);
    m_allRanks = acceleratorCount(plan.cluster);
    m_ranksPerNode = m_allRanks;
    for (const cluster::NodeGroup& group : plan.cluster.nodes)
        if (takesPart(group))
            m_ranksPerNode = std::gcd(m_ranksPerNode, group.acceleratorsPerNode);
    for (int ranks = m_allRanks; ranks > 0; ranks -= m_ranksPerNode)
        if (mayUse(ranks))
            m_leastRanks = ranks;
    for (m_nextRanks = m_allRanks; m_nextRanks > 0 && m_divisions.empty() && !stop.stop_requested();
         m_nextRanks -= m_ranksPerNode)
        if (mayUse(m_nextRanks))
            addRanks(m_nextRanks, stop);
    m_wasStopped = stop.stop_requested();
}

SpaceTree::~SpaceTree() = default;

bool SpaceTree::grow(const std::stop_token& stop)
{
    for (; !isGrown() && !stop.stop_requested(); m_nextRanks -= m_ranksPerNode)
        if (mayUse(m_nextRanks))
            addRanks(m_nextRanks, stop);
    m_wasStopped = m_wasStopped || stop.stop_requested();
    return !m_wasStopped;
}

void SpaceTree::addRanks(int ranks, const std::stop_token& stop)
{
    const int mostStages = m_layers + 2; // the first and the last chunk may hold no layer
    for (const int tp : divisors(ranks)) {
        if (!m_space.tp.allows(tp) || !m_rules->allowTensor(tp))
            continue;
        for (const int cp : divisors(ranks / tp)) {
            if (!m_space.cp.allows(cp) || (cp > 1 && m_length % (2 * cp) != 0))
                continue;
            for (const int pp : divisors(ranks / tp / cp)) {
                const int dp = ranks / tp / cp / pp;
                if (stop.stop_requested())
                    return;
                if (pp > mostStages || !m_space.pp.allows(pp) || !m_space.dp.allows(dp) || m_globalBatch % dp != 0)
                    continue;
                for (const parallel::ContextMethod method : m_contextMethods) {
                    addDivision({tp, cp, pp, dp, method}, stop);
                    if (cp == 1)
                        break;
                }
            }
        }
    }
}

const SpaceTree::Passes& SpaceTree::passes(const Division& division)
{
    const auto [known, isNew] = m_passes.try_emplace(passKey(division));
    Passes& result = known->second;
    if (isNew) {
        result.picks = findPasses(division, *m_rules);
        askFramework(division, result.picks, result.left);
        for (const PassPick& pass : result.picks)
            ++result.ofKind[std::size_t(pass.kind())];
    }
    return result;
}

/// With everything below it that has to be asked for.
void SpaceTree::addDivision(Division division, const std::stop_token& stop)
{
    Rules& rules = *m_rules;
    const Passes& ways = passes(division);
    if (ways.picks.empty() && !asksFramework())
        return;
    const auto [firstLayers, newStages] = m_firstLayers.try_emplace(division.pp);
    for (int count = 1; newStages && count * division.pp < m_layers; ++count) // the stages with most layers have more
        if (m_space.recomputedLayers.allows(count))
            firstLayers->second.push_back(count);
    const auto [experts, newExperts] = m_expertPicks.try_emplace(expertKey(division));
    if (newExperts)
        findExperts(division, rules);
    const auto [sizes, newSizes] = m_sizes.try_emplace({division.pp, m_globalBatch / division.dp});
    if (newSizes)
        sizes->second = findSizes(division.pp, m_globalBatch / division.dp, rules, stop);
    std::size_t objection = catalog::kFrameworkRules;
    if (asksFramework()) {
        objection = rules.objection(division.strategy(), m_space.framework, catalog::RuleScope::Division);
        countTaken(division, objection);
    }
    if (objection < catalog::kFrameworkRules)
        return;
    parallel::Strategy s = division.strategy();
    std::int64_t each = 0;
    for (const ExpertPick& pick : experts->second) {
        s.ep = pick.ep;
        s.etp = pick.etp;
        each += std::int64_t(shardings(division, pick).picks.size() * orders(s).picks.size());
    }
    for (std::size_t kind = 0; kind < kPipelineKinds; ++kind) {
        const std::size_t numbers = PipelineKind(kind) == PipelineKind::FirstLayers ? firstLayers->second.size() : 1;
        division.leavesOfPipeline[kind] = each * ways.ofKind[kind] * std::int64_t(numbers);
        division.leaves += sizes->second.pipelines[kind] * division.leavesOfPipeline[kind];
    }
    if (division.leaves == 0)
        return;
    m_divisions.push_back(division);
    m_leaves += division.leaves;
}

void SpaceTree::findExperts(const Division& division, Rules& rules)
{
    const int replicas = division.dp * division.cp;
    std::vector<ExpertPick>& picks = m_expertPicks.at(expertKey(division));
    for (const int etp : divisors(division.tp)) {
        for (const int ep : divisors(m_experts)) {
            parallel::Strategy s;
            s.tp = division.tp;
            s.dp = replicas;
            s.etp = etp;
            s.ep = ep;
            const bool wanted =
                m_space.etp.allows(etp) && m_space.ep.allows(ep) && (m_hasExpertLayers || (etp == 1 && ep == 1));
            if (!wanted || division.tp / etp * replicas % ep != 0 || !rules.allow(s))
                continue;
            const ExpertPick pick{
                ep, etp, m_expertNumbers.try_emplace({ep, etp}, int(m_expertNumbers.size())).first->second};
            const std::size_t objection = asksFramework()
                ? rules.objection(s, m_space.framework, catalog::RuleScope::Experts)
                : catalog::kFrameworkRules;
            if (objection == catalog::kFrameworkRules)
                picks.push_back(pick);
            else
                m_objectedExperts[expertKey(division)].emplace_back(pick, objection);
        }
    }
}

SpaceTree::ShardingKey SpaceTree::shardingKey(const Division& division, ExpertPick experts) const
{
    const int replicas = division.dp * division.cp;
    ShardingKey key{replicas, m_hasExpertLayers ? division.tp / experts.etp * replicas / experts.ep : 1};
    if (asksFramework()) {
        key[2] = division.cp;
        key[3] = int(division.tp > 1);
        key[4] = int(division.pp > 1);
    }
    return key;
}

const std::vector<ExpertPick>& SpaceTree::experts(const Division& division) const
{
    return m_expertPicks.at(expertKey(division));
}

Degrees SpaceTree::degrees(const Division& division, ExpertPick experts) const
{
    Degrees result{division.strategy(), m_passes.at(passKey(division)).picks,
        m_shardings.at(shardingKey(division, experts)).picks, {}};
    result.strategy.ep = experts.ep;
    result.strategy.etp = experts.etp;
    result.orders = m_ordersSeen.at(orderKey(result.strategy)).picks;
    return result;
}

const std::vector<int>& SpaceTree::microBatches(const Division& division) const
{
    return m_sizes.at({division.pp, m_globalBatch / division.dp}).sizes;
}

std::int64_t SpaceTree::leaves(const Division& division, int microBatch) const
{
    std::int64_t sum = 0;
    for (std::size_t kind = 0; kind < kPipelineKinds; ++kind)
        if (division.leavesOfPipeline[kind] > 0)
            sum += division.leavesOfPipeline[kind]
                * splitPipelines(division.pp, m_globalBatch / division.dp / microBatch, PipelineKind(kind));
    return sum;
}

bool SpaceTree::offloadsActivations() const
{
    return std::find(m_offloads.begin(), m_offloads.end(), parallel::Offload::Activations) != m_offloads.end();
}

/// Those that the space allows and the cluster states enough for.
void SpaceTree::findOffloads(const plan::Plan& plan)
{
    plan::Plan neutral = plan;
    neutral.strategy = {};
    for (const parallel::Offload offload :
        m_space.offloads.empty() ? std::vector{parallel::Offload::None} : m_space.offloads) {
        neutral.strategy.offload = offload;
        if (pricing::notEstimable(neutral).empty())
            m_offloads.push_back(offload);
    }
}

SpaceTree::Sizes SpaceTree::findSizes(int pp, int sequences, Rules& rules, const std::stop_token& stop)
{
    Sizes result;
    for (const int chunks : chunkCounts(pp))
        if (const auto [splits, isNew] = m_splits.try_emplace({pp, chunks}); isNew)
            splits->second = findSplits(pp, chunks, stop);
    for (const int b : m_microBatches) {
        if (sequences % b != 0)
            continue;
        bool any = false;
        for (std::size_t kind = 0; kind < kPipelineKinds; ++kind) {
            const auto [open, isNew] = m_pipelines.try_emplace({pp, sequences / b, int(kind)});
            if (isNew) {
                open->second.picks = findPipelines(pp, sequences / b, PipelineKind(kind), rules);
                askFramework(pp, PipelineKind(kind), open->second);
            }
            result.pipelines[kind] += splitPipelines(pp, sequences / b, PipelineKind(kind));
            result.left[kind].add(open->second.left);
            any = any || !open->second.picks.empty();
        }
        if (any)
            result.sizes.push_back(b);
    }
    return result;
}

const std::vector<PipelinePick>& SpaceTree::pipelines(int pp, int microBatches, PipelineKind kind) const
{
    return m_pipelines.at({pp, microBatches, int(kind)}).picks;
}

const SpaceTree::Choices<parallel::RankOrder>& SpaceTree::orders(const parallel::Strategy& strategy)
{
    const auto [known, isNew] = m_ordersSeen.try_emplace(orderKey(strategy));
    if (isNew) {
        known->second.picks = differentOrders(m_orders, axesInUse(strategy));
        askFramework(strategy, known->second);
    }
    return known->second;
}

const SpaceTree::Choices<ShardingPick>& SpaceTree::shardings(const Division& division, ExpertPick experts)
{
    const ShardingKey key = shardingKey(division, experts);
    const auto [known, isNew] = m_shardings.try_emplace(key);
    if (isNew) {
        known->second.picks = findShardings(key[0], key[1], *m_rules);
        parallel::Strategy s = division.strategy();
        s.ep = experts.ep;
        s.etp = experts.etp;
        askFramework(s, known->second);
    }
    return known->second;
}

std::vector<ShardingPick> SpaceTree::findShardings(int replicas, int replicasOfExperts, Rules& rules)
{
    std::vector<int> stages = m_space.zeroStages.empty() ? std::vector{0, 1, 2, 3} : m_space.zeroStages;
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    const int most = std::max(replicas, replicasOfExperts);
    if (isListedShards(most))
        m_usedShards.insert(most);
    if (most == 1) // nothing to share out
        return {{stages.front(), 0}};
    const std::vector<int> groups = findShardGroups(replicas, replicasOfExperts, rules);
    for (const int shards : groups)
        if (shards > 0)
            m_usedShards.insert(shards);
    std::vector<ShardingPick> picks;
    for (const int stage : stages) {
        if (stage == 0)
            picks.push_back({0, 0}); // shares nothing, whatever the groups
        else
            for (const int shards : groups)
                picks.push_back({stage, shards});
    }
    return picks;
}

/// Replicas that share out states; 0 = all.
std::vector<int> SpaceTree::findShardGroups(int replicas, int replicasOfExperts, Rules& rules) const
{
    const int most = std::max(replicas, replicasOfExperts);
    const int domain = m_topology.levels.empty() ? 1 : m_topology.levels.front().size;
    const bool anyGroup = m_space.zeroShards.empty();
    std::vector<int> groups;
    if (anyGroup || isListedShards(0) || isListedShards(most))
        groups.push_back(0); // all of them
    for (const int shards : divisors(most)) {
        const bool wanted = anyGroup ? m_space.shardGroups == plan::ShardGroups::Every
                || (m_space.shardGroups == plan::ShardGroups::Domain && shards == domain)
                                     : isListedShards(shards);
        if (!wanted || shards == 1 || shards == most)
            continue;
        parallel::Strategy s;
        s.dp = replicas;
        s.zeroStage = 1;
        s.zeroShards = shards;
        if (rules.allow(s) && (replicasOfExperts <= shards || replicasOfExperts % shards == 0))
            groups.push_back(shards);
    }
    return groups;
}

bool SpaceTree::isListedShards(int shards) const
{
    return std::find(m_space.zeroShards.begin(), m_space.zeroShards.end(), shards) != m_space.zeroShards.end();
}

std::vector<int> SpaceTree::unusedShards() const
{
    std::vector<int> unused;
    for (const int shards : m_space.zeroShards)
        if (shards != 0 && !m_usedShards.contains(shards))
            unused.push_back(shards);
    std::sort(unused.begin(), unused.end());
    return unused;
}

std::vector<PlacementPick> SpaceTree::placements(const Degrees& degrees, bool merge) const
{
    return placementClasses(degrees.strategy, degrees.orders, degrees.shardGroups(), m_topology, merge);
}

} // namespace stratoplan::space
