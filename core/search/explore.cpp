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

Node Explorer::root(const space::Division& division)
{
    Node node{&division};
    node.leaves = division.leaves;
    if (m_plan.rules.holds(PruneRule::DivisionBound))
        node.bound = m_plan.steps.ofProducts(division.strategy());
    return node;
}

Explored Explorer::open(const Node& node, const Front& known, plan::SearchMode mode, const std::stop_token& stop)
{
    Opening opening(node, known, mode, stop, m_plan.options, m_plan.rules);
    if (!opening.isStopped()) {
        if (node.microBatch == 0)
            openDivision(m_plan, opening);
        else if (!node.hasPass())
            openPasses(m_plan, opening);
        else
            openLeaves(m_plan, opening);
    }
    return std::move(opening).explored(); // what was cut short on the way concludes nothing
}

std::optional<FoundStrategy> Explorer::simulated(const parallel::Strategy& strategy)
{
    const auto priced = price(m_plan.pricing, strategy, pricing::PipelineTime::Simulated);
    if (!priced || !m_plan.valuation.wants(priced->step, priced->peak.value()))
        return std::nullopt;
    return FoundStrategy{strategy, m_plan.valuation.precision(), m_plan.valuation.value(priced->step, strategy),
        priced->step, priced->peak};
}

} // namespace stratoplan::search
