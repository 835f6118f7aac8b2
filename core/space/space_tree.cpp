// SPDX-License-Identifier: Apache-2.0
#include "core/space/space_tree.h"

namespace stratoplan::space {

std::vector<PlacementPick> Degrees::placements(const cluster::Topology& topology, bool merge) const
{
    return placementClasses(strategy, orders, shardGroups(), topology, merge);
}

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

SpaceTree::SpaceTree(const plan::Plan& plan, const plan::SearchSpace& space, const cluster::Topology& topology,
    Schedules schedules, LargestFirst /*largestFirst*/, const std::stop_token& stop)
    : m_topology(topology)
    , m_scope(plan, space, m_topology, schedules)
    , m_rules(plan)
    , m_choices(m_scope, m_rules)
    , m_pipelines(m_scope, m_rules)
    , m_nextRanks(m_scope.allRanks)
{
    for (; m_nextRanks > 0 && m_divisions.empty() && !stop.stop_requested(); m_nextRanks -= m_scope.ranksPerNode)
        if (m_scope.mayUse(m_nextRanks))
            addRanks(m_nextRanks, stop);
    m_wasStopped = stop.stop_requested();
}

bool SpaceTree::grow(const std::stop_token& stop)
{
    for (; !isGrown() && !stop.stop_requested(); m_nextRanks -= m_scope.ranksPerNode)
        if (m_scope.mayUse(m_nextRanks))
            addRanks(m_nextRanks, stop);
    m_wasStopped = m_wasStopped || stop.stop_requested();
    return !m_wasStopped;
}

/// In some partition.
bool SpaceTree::dividesModel(int tp, int cp)
{
    return m_rules.allowTensor(tp, parallel::TensorPartition::Megatron)
        || (m_scope.dividesLayers(tp, cp) && m_rules.allowTensor(tp, parallel::TensorPartition::SpatialTemporal));
}

void SpaceTree::addRanks(int ranks, const std::stop_token& stop)
{
    const int mostStages = m_scope.layers + 2; // the first and the last chunk may hold no layer
    for (const int tp : divisors(ranks)) {
        if (!m_scope.space.tp.allows(tp))
            continue;
        for (const int cp : divisors(ranks / tp)) {
            if (!dividesModel(tp, cp) || !m_scope.space.cp.allows(cp) || (cp > 1 && m_scope.length % (2 * cp) != 0))
                continue;
            for (const int pp : divisors(ranks / tp / cp)) {
                const int dp = ranks / tp / cp / pp;
                if (stop.stop_requested())
                    return;
                if (pp > mostStages || !m_scope.space.pp.allows(pp) || !m_scope.space.dp.allows(dp)
                    || m_scope.globalBatch % dp != 0)
                    continue;
                for (const parallel::ContextMethod method : m_scope.contextMethods) {
                    addDivision({tp, cp, pp, dp, method}, stop);
                    if (cp == 1)
                        break;
                }
            }
        }
    }
}

/// With everything below it that has to be asked for.
void SpaceTree::addDivision(Division division, const std::stop_token& stop)
{
    const SpaceChoices::Passes& ways = m_choices.addPasses(division);
    if (ways.picks.empty() && !m_scope.asksFramework())
        return;
    const int sequences = m_scope.globalBatch / division.dp;
    m_pipelines.add(division.pp, sequences, stop);
    const SpaceChoices::Experts& experts = m_choices.addExperts(division);
    std::size_t objection = catalog::kFrameworkRules;
    if (m_scope.asksFramework()) {
        objection = m_rules.objection(division.strategy(), m_scope.space.framework, catalog::RuleScope::Division);
        countTaken(division, objection);
    }
    if (objection < catalog::kFrameworkRules)
        return;
    parallel::Strategy s = division.strategy();
    std::int64_t each = 0;
    for (const ExpertPick& pick : experts.picks) {
        s.ep = pick.ep;
        s.etp = pick.etp;
        each += std::int64_t(m_choices.addShardings(division, pick).picks.size() * m_choices.addOrders(s).picks.size());
    }
    const SpacePipelines::Sizes& sizes = m_pipelines.sizes(division.pp, sequences);
    for (std::size_t kind = 0; kind < kPipelineKinds; ++kind) {
        const bool first = PipelineKind(kind) == PipelineKind::FirstLayers;
        const std::size_t numbers = first ? m_pipelines.firstLayers(division.pp).size() : 1;
        division.leavesOfPipeline[kind] = each * ways.ofKind[kind] * std::int64_t(numbers);
        division.leaves += sizes.pipelines[kind] * division.leavesOfPipeline[kind];
    }
    if (division.leaves == 0)
        return;
    m_divisions.push_back(division);
    m_leaves += division.leaves;
}

/// `objection`: to the division, whatever is below it.
void SpaceTree::countTaken(const Division& division, std::size_t objection)
{
    Survivors ofExperts;
    parallel::Strategy s = division.strategy();
    const auto addExperts = [&](const ExpertPick& pick, std::size_t first) {
        s.ep = pick.ep;
        s.etp = pick.etp;
        ofExperts.addPairs(m_choices.addShardings(division, pick).left, m_choices.addOrders(s).left, first);
    };
    for (const ExpertPick& pick : m_choices.experts(division).picks)
        addExperts(pick, catalog::kFrameworkRules);
    for (const auto& [pick, first] : m_choices.experts(division).objected)
        addExperts(pick, first);
    const SpaceChoices::Passes& passes = m_choices.passes(division);
    const SpacePipelines::Sizes& sizes = m_pipelines.sizes(division.pp, m_scope.globalBatch / division.dp);
    const auto ways = std::int64_t(m_pipelines.firstLayers(division.pp).size());
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

Degrees SpaceTree::degrees(const Division& division, ExpertPick experts) const
{
    Degrees result{
        division.strategy(), m_choices.passes(division).picks, m_choices.shardings(division, experts).picks, {}};
    result.strategy.ep = experts.ep;
    result.strategy.etp = experts.etp;
    result.orders = m_choices.orders(result.strategy).picks;
    return result;
}

std::int64_t SpaceTree::leaves(const Division& division, int microBatch) const
{
    std::int64_t sum = 0;
    for (std::size_t kind = 0; kind < kPipelineKinds; ++kind)
        if (division.leavesOfPipeline[kind] > 0)
            sum += division.leavesOfPipeline[kind]
                * splitPipelines(division.pp, m_scope.globalBatch / division.dp / microBatch, PipelineKind(kind));
    return sum;
}

bool SpaceTree::offloadsActivations() const
{
    return std::find(m_scope.offloads.begin(), m_scope.offloads.end(), parallel::Offload::Activations)
        != m_scope.offloads.end();
}

} // namespace stratoplan::space
