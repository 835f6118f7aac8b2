// SPDX-License-Identifier: Apache-2.0
#include "core/search/explore.h"

#include "core/search/open_leaves.h"
#include "core/search/open_passes.h"

#include <algorithm>
#include <utility>

namespace stratoplan::search {
namespace {

/// A micro-batch of the division that is open. `s`: with both.
JudgedNode judgedMicroBatch(ExploredPlan& plan, const Opening& opening, Node below, const parallel::Strategy& s)
{
    const bool bounds = opening.uses(PruneRule::DivisionBound);
    const auto against = [&](double peak) { return opening.against(PruneRule::DivisionBound, below.bound, peak); };
    if (bounds) {
        below.bound = std::max(opening.node().bound, plan.steps.ofSequences(s));
        if (const auto rule = against(0))
            return {below, rule};
    }
    if (opening.uses(PruneRule::OutOfMemory)) {
        below.peak = plan.peaks.ofMicroBatch(s, plan.pipelines.lean(s, opening.mode(), opening.stop()));
        if (below.peak > plan.valuation.mostBytes())
            return {below, PruneRule::OutOfMemory};
    }
    if (bounds) {
        if (!opening.beats(below.bound, below.peak))
            below.bound = std::max(below.bound,
                plan.steps.ofMicroBatch(
                    s, plan.tree.experts(*below.division), plan.pipelines.lean(s, opening.mode(), opening.stop())));
        if (const auto rule = against(below.peak))
            return {below, rule};
    }
    return {below};
}

void openDivision(ExploredPlan& plan, Opening& opening)
{
    const space::Division& division = *opening.node().division;
    parallel::Strategy s = division.strategy();
    std::int64_t left = division.leaves;
    const bool hasLimit = opening.uses(PruneRule::OutOfMemory);
    if (opening.uses(PruneRule::DivisionBound)) {
        const int most = hasLimit ? plan.peaks.mostSequences(s) : plan.pricing.plan().training.globalBatch;
        if (const auto rule = opening.against(PruneRule::DivisionBound, plan.steps.ofSequences(s, most), 0))
            return opening.drop(*rule, left);
    }
    for (const int size : plan.tree.microBatches(division)) {
        if (hasLimit && size > plan.peaks.mostSequences(s)) // nor is there room for larger ones
            return opening.drop(PruneRule::OutOfMemory, left);
        if (opening.isStopped())
            return;
        s.microBatch = size;
        Node below{&division, size};
        below.leaves = plan.tree.leaves(division, size);
        left -= below.leaves;
        opening.settle(judgedMicroBatch(plan, opening, below, s));
    }
}

} // namespace

ExploredPlan& Explorer::planOf(const parallel::Strategy& strategy)
{
    return m_parts.find(m_whole.pricing.fleet(), strategy, m_whole, [this](const cost::StageMachine& used) {
        return std::make_unique<ExploredPlan>(m_whole.pricing.plan(), used, m_whole.tree, m_whole.options);
    });
}

Node Explorer::root(const space::Division& division)
{
    Node node{&division};
    node.leaves = division.leaves;
    const parallel::Strategy strategy = division.strategy();
    if (m_whole.rules.holds(PruneRule::DivisionBound))
        node.bound = planOf(strategy).steps.ofProducts(strategy);
    return node;
}

Explored Explorer::open(const Node& node, const Front& known, plan::SearchMode mode, const std::stop_token& stop)
{
    ExploredPlan& plan = planOf(node.division->strategy());
    Opening opening(node, known, mode, stop, plan.options, plan.rules);
    if (!opening.isStopped()) {
        if (node.microBatch == 0)
            openDivision(plan, opening);
        else if (!node.hasPass())
            openPasses(plan, opening);
        else
            openLeaves(plan, opening);
    }
    return std::move(opening).explored(); // what was cut short on the way concludes nothing
}

std::optional<FoundStrategy> Explorer::simulated(const parallel::Strategy& strategy)
{
    const auto priced = price(m_whole.pricing, strategy, pricing::PipelineTime::Simulated);
    if (!priced || !m_whole.valuation.wants(priced->step, priced->peak.value()))
        return std::nullopt;
    return FoundStrategy{strategy, m_whole.valuation.precision(), m_whole.valuation.value(priced->step, strategy),
        priced->step, priced->peak};
}

} // namespace stratoplan::search
