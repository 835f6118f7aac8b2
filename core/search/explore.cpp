// SPDX-License-Identifier: Apache-2.0
#include "core/search/explore.h"

#include "core/search/explore_leaves.h"

#include <algorithm>
#include <cmath>

namespace stratoplan {
Explorer::Explorer(const Plan& plan, const SpaceTree& tree, const SearchOptions& options)
    : m_tree(tree)
    , m_options(options)
    , m_pricing(plan, *options.catalog)
    , m_valuation(plan, options)
    , m_flattens(plan.training.software.flatGradientBytes > 0 || plan.training.software.reduceBuckets.value() > 0)
    , m_model(plan.model)
    , m_globalBatch(plan.training.globalBatch)
    , m_denseLayers(layerCounts(plan.model).dense)
    , m_moeLayers(layerCounts(plan.model).moe)
{
    for (std::size_t i = 0; i < kPruneRules; ++i)
        m_uses[i] = !options.exhaustive && !options.off.contains(PruneRule(i));
}

Node Explorer::root(const Division& division)
{
    Node node{&division};
    node.leaves = division.leaves;
    if (!uses(PruneRule::DivisionBound))
        return node;
    const Strategy s = division.strategy();
    if (m_products < 0)
        m_products = m_pricing.productSeconds().value();
    const Seconds each(m_products / (double(s.tp) * s.cp));
    node.bound = m_valuation.bound(m_pricing.division(s).stepOfSequences(each), s);
    return node;
}

Explored Explorer::open(const Node& node, const Front& known, SearchMode mode, const std::stop_token& stop)
{
    Explored result{{}, Front(m_options.keep), 0, {}, true};
    Subtree at{node, known, mode, stop, result};
    m_mode = mode;
    m_stop = stop;
    if (stops(at))
        return result;
    if (node.microBatch == 0)
        openDivision(at);
    else if (node.pass < 0)
        openMicroBatch(at);
    else
        Leaves(*this, at).open();
    static_cast<void>(stops(at)); // what was cut short on the way concludes nothing
    return result;
}

void Explorer::openDivision(Subtree& at)
{
    const Division& division = *at.node.division;
    Strategy s = division.strategy();
    std::int64_t left = division.leaves;
    if (uses(PruneRule::DivisionBound)) {
        const Seconds least = leastSequence(s);
        const double bound = m_valuation.bound(m_pricing.division(s).stepOfSequences(least), s);
        if (loses(at, PruneRule::DivisionBound, bound, 0, left))
            return;
    }
    for (const int size : m_tree.microBatches(division)) {
        if (uses(PruneRule::OutOfMemory) && size > sequences(s).most) { // nor is there room for larger ones
            drop(at, PruneRule::OutOfMemory, left);
            return;
        }
        if (stops(at))
            return;
        s.microBatch = size;
        Node below{&division, size};
        below.leaves = m_tree.leaves(division, size);
        left -= below.leaves;
        if (uses(PruneRule::DivisionBound)) {
            const Seconds each = sequenceSeconds(s);
            below.bound = std::max(at.node.bound, m_valuation.bound(m_pricing.division(s).stepOfSequences(each), s));
            if (loses(at, PruneRule::DivisionBound, below.bound, 0, below.leaves))
                continue;
        }
        if (uses(PruneRule::OutOfMemory)) {
            below.peak = leastPeak(s);
            if (below.peak > m_valuation.mostBytes()) {
                drop(at, PruneRule::OutOfMemory, below.leaves);
                continue;
            }
        }
        if (uses(PruneRule::DivisionBound)) {
            if (!at.known.beats(below.bound, below.peak))
                below.bound = std::max(below.bound, microBatchBound(s, division));
            if (loses(at, PruneRule::DivisionBound, below.bound, below.peak, below.leaves))
                continue;
        }
        at.result.below.push_back(below);
    }
}

void Explorer::openMicroBatch(Subtree& at)
{
    const std::vector<ExpertPick>& experts = m_tree.experts(*at.node.division);
    for (int i = 0; i < int(experts.size()); ++i)
        openPasses(at, m_tree.degrees(*at.node.division, experts[std::size_t(i)]), i);
}

void Explorer::openPasses(Subtree& at, const Degrees& degrees, int place)
{
    if (stops(at))
        return;
    const ExpertPick experts = m_tree.experts(*at.node.division)[std::size_t(place)];
    Strategy s = degrees.strategy;
    s.microBatch = at.node.microBatch;
    const std::vector<SequenceBytes>& ofWays = sequences(s).ofWays;
    std::array<std::vector<LayerStates>, 2> states; // with the optimizer here, and on the host
    Pieces& known = pieces(s);
    struct OfKind {
        const Leanest* lean = nullptr;
        std::int64_t strategies = 0;
        std::array<double, 2> unrepeated{-1, -1}; ///< bounds, by sequence parallelism; below 0: not known yet
    };
    std::array<OfKind, kPipelineKinds> ofKind;
    for (int pass = 0; pass < int(degrees.passes.size()); ++pass) {
        const PassPick& pick = degrees.passes[std::size_t(pass)];
        const PipelineKind kind = pick.kind();
        OfKind& of = ofKind[std::size_t(kind)];
        if (of.lean == nullptr) {
            of.lean = &leanest(s, kind);
            of.strategies =
                std::int64_t(degrees.leaves()) * m_tree.splitPipelines(s.pp, m_globalBatch / s.dp / s.microBatch, kind);
        }
        const std::int64_t strategies = of.strategies * m_tree.ways(pick, s.pp);
        if (strategies == 0)
            continue;
        pick.applyTo(s);
        Node below{at.node.division, s.microBatch, place, pass, at.node.bound, at.node.peak};
        below.leaves = strategies;
        below.uneven = pick.uneven;
        // Where stages share the vocabulary, their layers are the same.
        const bool ends = pick.vocabulary == VocabularyPlacement::Ends;
        const auto boundOf = [&](const PieceSeconds& one) {
            const Seconds busiest = of.lean->busiest(ends ? one : withoutEnds(one));
            return m_valuation.bound(m_pricing.division(s).stepOfStage(busiest), s);
        };
        const auto boundOfFirstLayers = [&] {
            Strategy kept = s;
            kept.recompute = Recompute::None;
            const int count = m_tree.firstLayers(s.pp)[std::size_t(below.firstLayers)];
            const Seconds busiest = of.lean->busiest(
                passPieces(known, kept, experts), passPieces(known, s, experts), count); // the vocabulary at the ends
            return m_valuation.bound(m_pricing.division(s).stepOfStage(busiest), s);
        };
        const auto isLost = [&] { return loses(at, PruneRule::DivisionBound, below.bound, below.peak, below.leaves); };
        const auto hasNoRoom = [&](double peak) {
            below.peak = std::max(below.peak, peak);
            if (!uses(PruneRule::OutOfMemory) || below.peak <= m_valuation.mostBytes())
                return false;
            drop(at, PruneRule::OutOfMemory, below.leaves);
            return true;
        };
        const bool bounds = uses(PruneRule::DivisionBound);
        if (bounds) {
            double& bound = of.unrepeated[std::size_t(s.sequenceParallel)];
            if (bound < 0)
                bound = boundOf(expertPieces(known, s, experts));
            below.bound = std::max(below.bound, bound);
            if (isLost())
                continue;
        }
        if (uses(PruneRule::OutOfMemory)) {
            std::vector<LayerStates>& own = states[std::size_t(s.offload == Offload::Optimizer)];
            if (own.empty())
                own = leanestStates(s, degrees);
            if (hasNoRoom(leastPeak(*of.lean, {&ofWays[wayNumber(s)], 1}, own, s.microBatch)))
                continue;
        }
        if (bounds) { // worth lowering
            below.bound =
                std::max(below.bound, pick.firstLayers ? boundOfFirstLayers() : boundOf(passPieces(known, s, experts)));
            if (isLost())
                continue;
        }
        const bool needsPeak = uses(PruneRule::OutOfMemory) || (bounds && m_options.keep == FrontKind::Whole);
        if (needsPeak && kind != PipelineKind::Uneven && hasNoRoom(leanestPeak(s, degrees, kind)))
            continue;
        if (pick.firstLayers && uses(PruneRule::OutOfMemory)) {
            below.firstLayers = fewestLayers(s, degrees);
            const std::int64_t few = of.strategies * below.firstLayers;
            drop(at, PruneRule::OutOfMemory, few);
            below.leaves -= few;
            if (below.leaves == 0)
                continue;
            if (bounds)
                below.bound = std::max(below.bound, boundOfFirstLayers());
        }
        if (!isLost())
            at.result.below.push_back(below);
    }
}

/// What is found until then counts, and the node stays open.
bool Explorer::stops(Subtree& at)
{
    at.result.whole = at.result.whole && !at.stop.stop_requested();
    return !at.result.whole;
}

void Explorer::drop(Subtree& at, PruneRule rule, std::int64_t strategies) const
{
    at.result.pruned[static_cast<std::size_t>(rule)] += strategies;
}

bool Explorer::loses(Subtree& at, PruneRule rule, double value, double peak, std::int64_t strategies) const
{
    if (uses(PruneRule::Objective) && m_options.objective == Objective::Deadline
        && value * (1 - kSumRounding) > m_options.longestStep.value()) {
        drop(at, PruneRule::Objective, strategies);
        return true;
    }
    if (!uses(rule) || !(at.known.beats(value, peak) || at.result.found.beats(value, peak)))
        return false;
    drop(at, rule, strategies);
    return true;
}

const std::vector<PlacementPick>& Explorer::placements(const Node& node, const Degrees& degrees)
{
    constexpr std::size_t kMostPlacements = 2048;
    if (m_placements.size() > kMostPlacements)
        m_placements.clear();
    const auto [known, isNew] = m_placements.try_emplace({node.division, node.experts});
    if (isNew)
        known->second = m_tree.placements(degrees);
    return known->second;
}

std::optional<FoundStrategy> Explorer::simulated(const Strategy& strategy)
{
    const auto priced = price(m_pricing, strategy, PipelineTime::Simulated);
    if (!priced || !m_valuation.wants(priced->step, priced->peak.value()))
        return std::nullopt;
    return FoundStrategy{
        strategy, m_valuation.precision(), m_valuation.value(priced->step, strategy), priced->step, priced->peak};
}

void Explorer::record(Subtree& at, Seconds step, double peak, const Strategy& strategy)
{
    if (!m_valuation.wants(step, peak))
        return;
    const double value = m_valuation.value(step, strategy);
    if (!at.known.beats(value, peak) && !at.result.found.beats(value, peak))
        at.result.found.add({strategy, m_valuation.precision(), value, step, Bytes(peak)});
}

} // namespace stratoplan
