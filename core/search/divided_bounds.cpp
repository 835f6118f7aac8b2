// SPDX-License-Identifier: Apache-2.0
#include "core/search/divided_bounds.h"

#include "core/pipeline/program.h"

#include <algorithm>

namespace stratoplan::search {
namespace {

constexpr int kHalvings = 10; ///< of what a layer may take: to a thousandth
constexpr int kMostCorners = 8;
/// Of the room: memoryForms() joins straight lines.
constexpr double kSlack = 1.0 / 512;

/// Whether a stage begins when the first input of those before has come, and its passes are in one piece.
bool fillsInOrder(parallel::Schedule schedule)
{
    return shape(schedule) == parallel::PipelineShape::Loop && !pipeline::splitsBackward(schedule)
        && !pipeline::runsPairs(schedule) && !pipeline::staggersSteps(schedule);
}

} // namespace

DividedBounds::DividedBounds(
    ExploredPlan& plan, const Opening& opening, const parallel::Strategy& strategy, space::PipelineKind kind)
    : m_plan(plan)
    , m_opening(opening)
    , m_strategy(strategy)
    , m_lean(plan.pipelines.lean(strategy, kind, opening.mode(), opening.stop()))
    , m_slack(kSlack * plan.pricing.capacity().value() + plan.pricing.plan().training.software.reduceBuckets.value())
{
    const Node& node = opening.node();
    const space::ExpertPick experts = plan.tree.experts(*node.division)[std::size_t(node.experts)];
    m_anywhere = plan.steps.pieces(strategy).ofPass(strategy, experts);
    if (sharesVocabulary(kind))
        m_anywhere = withoutEnds(m_anywhere);
    m_pieces = m_anywhere;
}

void DividedBounds::place(const parallel::RankOrder& order)
{
    m_strategy.rankOrder = order;
    m_pieces = m_anywhere;
    Seconds& fastest = m_pieces.*layer();
    fastest = std::max(fastest, m_plan.pricing.leastLayer(m_strategy));
}

/// The last stage begins when the first chunks of the others have run, and these run once more behind its last pass
/// (pipelineSeconds()).
double DividedBounds::value(const space::SplitPick& split, Seconds more) const
{
    pricing::PieceSeconds pieces = m_pieces;
    pieces.*layer() += more;
    Seconds longest = m_lean.busiest(pieces);
    const space::PipelinePick& pick = split.pipeline;
    if (m_strategy.pp > 1 && split.layers == nullptr && fillsInOrder(pick.schedule)) {
        const int chunks = parallel::effectiveChunks(pick.schedule, pick.vpp);
        const Seconds chunk = pieces.*layer() * (m_plan.tree.layers() / (m_strategy.pp * chunks));
        const Seconds last = chunk * chunks + pieces.head;
        const Seconds others = chunk * (m_strategy.pp - 1) + pieces.embedding;
        longest = std::max(longest, last + others / m_plan.microBatches(m_strategy));
    }
    return m_plan.steps.ofStage(m_strategy, longest);
}

Seconds DividedBounds::mostMore(const space::SplitPick& split, double peak) const
{
    const auto isDropped = [&](Seconds more) {
        return m_opening.against(PruneRule::PipelineBound, value(split, more), peak).has_value();
    };
    const Seconds fastest = m_pieces.*layer();
    Seconds kept{}, dropped = fastest;
    for (; !isDropped(dropped); dropped = dropped * 4) {
        if (dropped > fastest * 64)
            return Seconds(INFINITY);
        kept = dropped;
    }
    for (int i = 0; i < kHalvings; ++i) {
        const Seconds middle = (kept + dropped) / 2;
        (isDropped(middle) ? dropped : kept) = middle;
    }
    return dropped;
}

/// Between two peaks that are known, what needs as much as the lower one is measured against it.
std::vector<partition::Corner> DividedBounds::worthHaving(const space::SplitPick& split) const
{
    std::vector<partition::Corner> corners;
    double above = INFINITY;
    const auto add = [&](double peak) {
        const Seconds more = mostMore(split, peak);
        if (corners.empty() || more.value() > corners.back().seconds)
            corners.push_back({more.value(), above});
        above = peak + m_slack;
    };
    if (m_plan.options.keep == FrontKind::Whole)
        for (const double peak : m_opening.knownPeaks(kMostCorners))
            add(peak);
    add(m_opening.node().peak);
    return corners;
}

std::vector<pricing::HeldLayers> DividedBounds::held(const space::SplitPick& split) const
{
    parallel::Strategy s = undividedLayers(m_strategy);
    split.applyTo(s);
    if (s.schedule == parallel::Schedule::ZbAuto)
        s.inFlightLimit = 1; // at the least
    return pricing::heldLayers(m_plan.pricing.division(s).plan());
}

double DividedBounds::peak(const std::vector<pricing::HeldLayers>& held, int zeroStage)
{
    const auto [known, isNew] = m_states.try_emplace(zeroStage);
    if (isNew) {
        parallel::Strategy s = undividedLayers(m_strategy);
        s.zeroStage = zeroStage;
        known->second = m_plan.pricing.division(s).dividedLayerStates();
    }
    return m_plan.peaks.ofPipeline(m_strategy, held, known->second);
}

} // namespace stratoplan::search
