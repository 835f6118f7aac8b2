// SPDX-License-Identifier: Apache-2.0
// Of the choices of a division: how the experts are divided, states shared out, and axes ordered.
#include "core/space/space_choices.h"

namespace stratoplan::space {

const SpaceChoices::Experts& SpaceChoices::addExperts(const Division& division)
{
    const auto [known, isNew] = m_experts.try_emplace(expertKey(division));
    if (isNew)
        known->second = findExperts(division);
    return known->second;
}

SpaceChoices::Experts SpaceChoices::findExperts(const Division& division)
{
    const int replicas = division.dp * division.cp;
    Experts result;
    for (const int etp : divisors(division.tp)) {
        for (const int ep : divisors(m_scope.experts)) {
            parallel::Strategy s;
            s.tp = division.tp;
            s.dp = replicas;
            s.etp = etp;
            s.ep = ep;
            const bool wanted = m_scope.space.etp.allows(etp) && m_scope.space.ep.allows(ep)
                && (m_scope.hasExpertLayers || (etp == 1 && ep == 1));
            if (!wanted || division.tp / etp * replicas % ep != 0 || !m_rules.allow(s))
                continue;
            const ExpertPick pick{
                ep, etp, m_expertNumbers.try_emplace({ep, etp}, int(m_expertNumbers.size())).first->second};
            const std::size_t objection = m_scope.asksFramework()
                ? m_rules.objection(s, m_scope.space.framework, catalog::RuleScope::Experts)
                : catalog::kFrameworkRules;
            if (objection == catalog::kFrameworkRules)
                result.picks.push_back(pick);
            else
                result.objected.emplace_back(pick, objection);
        }
    }
    return result;
}

SpaceChoices::ShardingKey SpaceChoices::shardingKey(const Division& division, ExpertPick experts) const
{
    const int replicas = division.dp * division.cp;
    ShardingKey key{replicas, m_scope.hasExpertLayers ? division.tp / experts.etp * replicas / experts.ep : 1};
    if (m_scope.asksFramework()) {
        key[2] = division.cp;
        key[3] = int(division.tp > 1);
        key[4] = int(division.pp > 1);
    }
    return key;
}

const Choices<ShardingPick>& SpaceChoices::addShardings(const Division& division, ExpertPick experts)
{
    const ShardingKey key = shardingKey(division, experts);
    const auto [known, isNew] = m_shardings.try_emplace(key);
    if (isNew) {
        known->second.picks = findShardings(key[0], key[1]);
        parallel::Strategy s = division.strategy();
        s.ep = experts.ep;
        s.etp = experts.etp;
        askFramework(s, known->second);
    }
    return known->second;
}

void SpaceChoices::askFramework(parallel::Strategy s, Choices<ShardingPick>& shardings)
{
    if (!m_scope.asksFramework())
        return;
    const auto objectionOf = [&](const ShardingPick& pick) {
        s.zeroStage = pick.stage;
        s.zeroShards = pick.shards;
        return m_rules.objection(s, m_scope.space.framework, catalog::RuleScope::Sharding);
    };
    keepRunnable(shardings.picks, objectionOf,
        [&](const ShardingPick&, std::size_t objection) { shardings.left.add(objection, 1); });
}

std::vector<ShardingPick> SpaceChoices::findShardings(int replicas, int replicasOfExperts)
{
    std::vector<int> stages = m_scope.space.zeroStages.empty() ? std::vector{0, 1, 2, 3} : m_scope.space.zeroStages;
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    const int most = std::max(replicas, replicasOfExperts);
    if (isListedShards(most))
        m_usedShards.insert(most);
    if (most == 1) // nothing to share out
        return {{stages.front(), 0}};
    const std::vector<int> groups = findShardGroups(replicas, replicasOfExperts);
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
std::vector<int> SpaceChoices::findShardGroups(int replicas, int replicasOfExperts)
{
    const int most = std::max(replicas, replicasOfExperts);
    const bool anyGroup = m_scope.space.zeroShards.empty();
    std::vector<int> groups;
    if (anyGroup || isListedShards(0) || isListedShards(most))
        groups.push_back(0); // all of them
    for (const int shards : divisors(most)) {
        const bool wanted = anyGroup ? m_scope.space.shardGroups == plan::ShardGroups::Every
                || (m_scope.space.shardGroups == plan::ShardGroups::Domain && shards == m_scope.domain)
                                     : isListedShards(shards);
        if (!wanted || shards == 1 || shards == most)
            continue;
        parallel::Strategy s;
        s.dp = replicas;
        s.zeroStage = 1;
        s.zeroShards = shards;
        if (m_rules.allow(s) && (replicasOfExperts <= shards || replicasOfExperts % shards == 0))
            groups.push_back(shards);
    }
    return groups;
}

bool SpaceChoices::isListedShards(int shards) const
{
    return std::find(m_scope.space.zeroShards.begin(), m_scope.space.zeroShards.end(), shards)
        != m_scope.space.zeroShards.end();
}

std::vector<int> SpaceChoices::unusedShards() const
{
    std::vector<int> unused;
    for (const int shards : m_scope.space.zeroShards)
        if (shards != 0 && !m_usedShards.contains(shards))
            unused.push_back(shards);
    std::sort(unused.begin(), unused.end());
    return unused;
}

const Choices<parallel::RankOrder>& SpaceChoices::addOrders(const parallel::Strategy& strategy)
{
    const auto [known, isNew] = m_orders.try_emplace(orderKey(strategy));
    if (isNew) {
        known->second.picks = differentOrders(m_scope.orders, axesInUse(strategy));
        askFramework(strategy, known->second);
    }
    return known->second;
}

void SpaceChoices::askFramework(parallel::Strategy s, Choices<parallel::RankOrder>& orders)
{
    if (!m_scope.asksFramework())
        return;
    const auto objectionOf = [&](const parallel::RankOrder& order) {
        s.rankOrder = order;
        return m_rules.objection(s, m_scope.space.framework, catalog::RuleScope::Order);
    };
    keepRunnable(orders.picks, objectionOf,
        [&](const parallel::RankOrder&, std::size_t objection) { orders.left.add(objection, 1); });
}

unsigned SpaceChoices::orderKey(const parallel::Strategy& strategy) const
{
    constexpr unsigned kAxes = 5;
    const unsigned axes = axesInUse(strategy);
    if (!m_scope.asksFramework())
        return axes;
    return axes | (unsigned(catalog::expertsLieLikeAttention(strategy, m_scope.hasExpertLayers)) << kAxes);
}

} // namespace stratoplan::space
