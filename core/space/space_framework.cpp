// SPDX-License-Identifier: Apache-2.0
// Of the search tree: what the target framework of the space does not run of it. A rule reads the dimensions of one
// scope alone, so that it is asked once for each choice of those, and the strategies that each rule takes out are
// counted by products.
#include "core/space/space_rules.h"
#include "core/space/space_tree.h"

#include <algorithm>

namespace stratoplan::space {
namespace {

/// Drops the choices that `objectionOf` has a rule against, once `count` has been given each with the
/// rule.
template <class Pick, class Objection, class Count>
void keepRunnable(std::vector<Pick>& picks, Objection objectionOf, Count count)
{
    std::erase_if(picks, [&](const Pick& pick) {
        const std::size_t objection = objectionOf(pick);
        count(pick, objection);
        return objection < catalog::kFrameworkRules;
    });
}

} // namespace

unsigned SpaceTree::orderKey(const parallel::Strategy& strategy) const
{
    constexpr unsigned kAxes = 5;
    const unsigned axes = axesInUse(strategy);
    if (!asksFramework())
        return axes;
    return axes | (unsigned(catalog::expertsLieLikeAttention(strategy, m_hasExpertLayers)) << kAxes);
}

/// Of all numbers of first layers the least stands for the others, in a pipeline of few stages: a rule tells no more
/// than that some layers are recomputed and others not.
void SpaceTree::askFramework(
    const Division& division, std::vector<PassPick>& picks, std::array<Survivors, kPipelineKinds>& left)
{
    if (!asksFramework())
        return;
    parallel::Strategy s = division.strategy();
    s.pp = std::min(division.pp, 2);
    const auto objectionOf = [&](const PassPick& pick) {
        pick.applyTo(s);
        if (pick.firstLayers)
            recomputeFirst(s, m_layers, 1);
        return m_rules->objection(s, m_space.framework, catalog::RuleScope::Pass);
    };
    keepRunnable(picks, objectionOf,
        [&](const PassPick& pick, std::size_t objection) { left[std::size_t(pick.kind())].add(objection, 1); });
}

/// Of uneven splits the first stands for the others.
void SpaceTree::askFramework(int pp, PipelineKind kind, Choices<PipelinePick>& pipelines)
{
    if (!asksFramework())
        return;
    parallel::Strategy s;
    s.pp = pp;
    const bool uneven = kind == PipelineKind::Uneven;
    const auto splitsOf = [&](const PipelinePick& pick) {
        return uneven ? std::int64_t(unevenSplits(pp, pick.vpp).size()) : 1;
    };
    const auto objectionOf = [&](const PipelinePick& pick) {
        SplitPick{pick, uneven && splitsOf(pick) > 0 ? &unevenSplits(pp, pick.vpp).front() : nullptr}.applyTo(s);
        return m_rules->objection(s, m_space.framework, catalog::RuleScope::Pipeline);
    };
    keepRunnable(pipelines.picks, objectionOf,
        [&](const PipelinePick& pick, std::size_t objection) { pipelines.left.add(objection, splitsOf(pick)); });
}

void SpaceTree::askFramework(parallel::Strategy s, Choices<ShardingPick>& shardings)
{
    if (!asksFramework())
        return;
    const auto objectionOf = [&](const ShardingPick& pick) {
        s.zeroStage = pick.stage;
        s.zeroShards = pick.shards;
        return m_rules->objection(s, m_space.framework, catalog::RuleScope::Sharding);
    };
    keepRunnable(shardings.picks, objectionOf,
        [&](const ShardingPick&, std::size_t objection) { shardings.left.add(objection, 1); });
}

void SpaceTree::askFramework(parallel::Strategy s, Choices<parallel::RankOrder>& orders)
{
    if (!asksFramework())
        return;
    const auto objectionOf = [&](const parallel::RankOrder& order) {
        s.rankOrder = order;
        return m_rules->objection(s, m_space.framework, catalog::RuleScope::Order);
    };
    keepRunnable(orders.picks, objectionOf,
        [&](const parallel::RankOrder&, std::size_t objection) { orders.left.add(objection, 1); });
}

/// `objection`: to the division, whatever is below it.
void SpaceTree::countTaken(const Division& division, std::size_t objection)
{
    Survivors ofExperts;
    parallel::Strategy s = division.strategy();
    const auto addExperts = [&](const ExpertPick& pick, std::size_t first) {
        s.ep = pick.ep;
        s.etp = pick.etp;
        ofExperts.addPairs(shardings(division, pick).left, orders(s).left, first);
    };
    for (const ExpertPick& pick : m_expertPicks.at(expertKey(division)))
        addExperts(pick, catalog::kFrameworkRules);
    if (const auto objected = m_objectedExperts.find(expertKey(division)); objected != m_objectedExperts.end())
        for (const auto& [pick, first] : objected->second)
            addExperts(pick, first);
    const Passes& passes = m_passes.at(passKey(division));
    const Sizes& sizes = m_sizes.at({division.pp, m_globalBatch / division.dp});
    const auto ways = std::int64_t(m_firstLayers.at(division.pp).size());
    const auto leftAfter = [&](std::size_t rules) {
        std::int64_t strategies = 0;
        for (std::size_t kind = 0; kind < kPipelineKinds; ++kind)
            strategies += sizes.left[kind].after(rules) * passes.left[kind].after(rules)
                * (PipelineKind(kind) == PipelineKind::FirstLayers ? ways : 1);
        return rules <= objection ? strategies * ofExperts.after(rules) : 0;
    };
    for (std::size_t rule = 0; rule < catalog::kFrameworkRules; ++rule)
        m_taken[rule] += leftAfter(rule) - leftAfter(rule + 1);
}

} // namespace stratoplan::space
