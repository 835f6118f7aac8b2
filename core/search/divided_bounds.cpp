// SPDX-License-Identifier: Apache-2.0
#include "core/search/divided_bounds.h"

#include "core/pipeline/program.h"

#include <algorithm>

namespace stratoplan::search {
namespace {

/// Steps of the search for what a layer may take: to a thousandth of the fastest.
constexpr int kHalvings = 10;

space::PipelineKind kindOf(const parallel::Strategy& s, bool uneven)
{
    space::PassPick pick;
    pick.vocabulary = s.vocabularyPlacement;
    pick.uneven = uneven;
    return pick.kind();
}

/// Whether a stage begins when the first input of those before has come, and its passes are in one piece.
bool fillsInOrder(parallel::Schedule schedule)
{
    return shape(schedule) == parallel::PipelineShape::Loop && !pipeline::splitsBackward(schedule)
        && !pipeline::runsPairs(schedule) && !pipeline::staggersSteps(schedule);
}

} // namespace

DividedBounds::DividedBounds(ExploredPlan& plan, const Opening& opening, const parallel::Strategy& strategy)
    : m_plan(plan)
    , m_opening(opening)
    , m_strategy(strategy)
    , m_lean(plan.pipelines.lean(
          strategy, kindOf(strategy, opening.node().uneven), opening.mode(), opening.stop()))
    , m_layer(plan.pricing.leastLayer(strategy))
{
    const Node& node = opening.node();
    const space::ExpertPick experts = plan.tree.experts(*node.division)[std::size_t(node.experts)];
    m_pieces = plan.steps.pieces(strategy).ofPass(strategy, experts);
    if (sharesVocabulary(kindOf(strategy, node.uneven)))
        m_pieces = withoutEnds(m_pieces);
    Seconds& layer = plan.pricing.plan().model.moe ? m_pieces.moeLayer : m_pieces.denseLayer;
    layer = m_layer = std::max(m_layer, layer);
}

/// The last stage begins when the first chunks of the others have run, and these run once more behind its last pass
/// (pipelineSeconds()).
double DividedBounds::ofPipeline(const space::SplitPick& split, Seconds more) const
{
    pricing::PieceSeconds pieces = m_pieces;
    (m_plan.pricing.plan().model.moe ? pieces.moeLayer : pieces.denseLayer) += more;
    Seconds longest = m_lean.busiest(pieces);
    const space::PipelinePick& pick = split.pipeline;
    if (m_strategy.pp > 1 && split.layers == nullptr && fillsInOrder(pick.schedule)) {
        const int chunks = parallel::effectiveChunks(pick.schedule, pick.vpp);
        const Seconds chunk = (m_layer + more) * (m_plan.tree.layers() / (m_strategy.pp * chunks));
        const Seconds last = chunk * chunks + pieces.head;
        longest = std::max(longest,
            last + (chunk * (m_strategy.pp - 1) + pieces.embedding) / double(m_plan.microBatches(m_strategy)));
    }
    return m_plan.steps.ofStage(m_strategy, longest);
}

Seconds DividedBounds::mostMore(const space::SplitPick& split) const
{
    const auto isDropped = [&](Seconds more) {
        return m_opening.against(PruneRule::PipelineBound, ofPipeline(split, more), m_opening.node().peak).has_value();
    };
    Seconds kept{}, dropped = m_layer;
    while (!isDropped(dropped)) {
        kept = dropped;
        dropped = dropped * 4;
        if (dropped > m_layer * 64)
            return Seconds(INFINITY);
    }
    for (int i = 0; i < kHalvings; ++i) {
        const Seconds middle = (kept + dropped) / 2;
        (isDropped(middle) ? dropped : kept) = middle;
    }
    return dropped;
}

} // namespace stratoplan::search
