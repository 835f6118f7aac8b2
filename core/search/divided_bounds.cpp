// SPDX-License-Identifier: Apache-2.0
#include "core/search/divided_bounds.h"

#include "core/pipeline/program.h"
#include "core/pricing/priced_pass.h"

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
    , m_kind(kind)
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

void DividedBounds::place(Seconds layer)
{
    m_pieces = m_anywhere;
    m_pieces.*(this->layer()) = std::max(m_anywhere.*(this->layer()), layer);
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

/// Where the vocabulary is shared stages wait for one another, and the limit of ZB-auto depends on what fits: of those
/// nothing is said.
double DividedBounds::value(const space::SplitPick& split, const space::ShardingPick& sharding) const
{
    if (sharesVocabulary(m_kind) || split.pipeline.schedule == parallel::Schedule::ZbAuto)
        return 0;
    parallel::Strategy s = m_strategy;
    split.applyTo(s);
    s.zeroStage = sharding.stage;
    s.zeroShards = sharding.shards;
    pricing::PricingContext& pricing = m_plan.pricing;
    Seconds least(INFINITY);
    for (const bool sharesStream : {true, false}) {
        s.sequenceParallel = sharesStream;
        const pricing::PricedPass pass(pricing.lightest(s, m_pieces.*layer()), pricing.groups(s));
        least = std::min(least, pass.lightest().step(pricing::PipelineTime::ClosedForm));
    }
    return m_plan.valuation.bound(least, m_strategy);
}

/// Every stage passes each micro-batch; what its layers take longer they may hide of the traffic at the end of the
/// step, and of that of every micro-batch where parameters are gathered or gradients reduced so often.
double DividedBounds::rate(const space::SplitPick& split, const space::ShardingPick& sharding) const
{
    const space::PipelinePick& pick = split.pipeline;
    const int chunks = parallel::effectiveChunks(pick.schedule, pick.vpp);
    const int fewest = split.layers != nullptr ? *std::ranges::min_element(*split.layers)
                                               : m_plan.tree.layers() / (m_strategy.pp * chunks) * chunks;
    const double microBatches = m_plan.microBatches(m_strategy);
    const double ways = shape(pick.schedule) == parallel::PipelineShape::TwoWay ? 2 : 1;
    parallel::Strategy s = m_strategy;
    split.applyTo(s);
    s.zeroStage = sharding.stage;
    const double hidden =
        ways * cost::mostHiddenPasses(s, m_plan.pricing.plan().training.software, int(microBatches / ways));
    const Seconds longer(fewest * std::max(0.0, microBatches - hidden));
    return m_plan.valuation.bound(longer, m_strategy);
}

Seconds DividedBounds::mostMore(const space::SplitPick& split, double peak, double least, double rate) const
{
    const auto isDropped = [&](Seconds more) {
        const double bound = std::max(value(split, more), least + rate * more.value());
        return m_opening.against(PruneRule::PipelineBound, bound, peak).has_value();
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
std::vector<partition::Corner> DividedBounds::worthHaving(
    const space::SplitPick& split, const space::ShardingPick& sharding, double least, double peak) const
{
    const double rise = rate(split, sharding);
    std::vector<partition::Corner> corners;
    double above = INFINITY;
    const auto add = [&](double from) {
        const Seconds more = mostMore(split, from, least, rise);
        if (corners.empty() || more.value() > corners.back().seconds)
            corners.push_back({more.value(), above});
        above = from + m_slack;
    };
    if (m_plan.options.keep == FrontKind::Whole)
        for (const double known : m_opening.knownPeaks(kMostCorners))
            if (known > peak)
                add(known);
    add(peak);
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
