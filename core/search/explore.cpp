// SPDX-License-Identifier: Apache-2.0
#include "core/search/explore.h"

#include "core/estimate/range.h"

#include <algorithm>
#include <cmath>

namespace stratoplan {
namespace {

constexpr double kRounding = 1e-12; // of sums in another order
const GroupSpans kNowhere; // where groups lie plays no part in bytes

/// The schedule whose closed form is the same in as many chunks and that holds no more micro-batches and predictions.
///
/// pipelineSeconds() sees of a schedule its chunks, whether it splits the backward pass and whether it staggers steps: GPipe, 1F1B
/// and eager 1F1B agree in all three, and so do interleaved and breadth-first. A stage of 1F1B holds min(m, p - i) micro-batches,
/// of eager 1F1B min(m, 2 (p - i) - 1), of GPipe m; interleaved ones hold at most m, breadth-first ones m. GPipe and breadth-first
/// keep the predictions of all micro-batches, the others of one. A peak rises with both.
std::optional<Schedule> leanerTwin(Schedule schedule)
{
    switch (schedule) {
    case Schedule::GPipe:
    case Schedule::EagerOneFOneB:
        return Schedule::OneFOneB;
    case Schedule::BreadthFirst:
        return Schedule::Interleaved;
    default:
        return std::nullopt;
    }
}

} // namespace

Explorer::Explorer(const Plan& plan, const SearchOptions& options)
    : m_options(options)
    , m_pricer(plan)
    , m_scratch(plan)
    , m_limit(m_pricer.capacity().value() * (1 - options.headroom))
{
    for (std::size_t i = 0; i < kPruneRules; ++i)
        m_uses[i] = !options.exhaustive && !options.off.contains(PruneRule(i));
}

double Explorer::valueBound(Seconds step, const Strategy& strategy) const
{
    switch (m_options.objective) {
    case Objective::TokensPerCost:
    case Objective::TokensPerEnergy: // accelerators of one kind draw the same power
        return step.value() * rankCount(strategy);
    default:
        return step.value(); // the pessimistic end of a range is not below the estimate
    }
}

double Explorer::valueOf(Seconds step, const Strategy& strategy)
{
    if (m_options.objective != Objective::Robust)
        return valueBound(step, strategy);
    m_scratch.strategy = strategy;
    return step.value() * shippedEvidence().range(m_scratch).high;
}

bool Explorer::wanted(Seconds step, double peak) const
{
    return std::isfinite(step.value()) && step.value() > 0 && peak <= m_limit
        && (m_options.objective != Objective::Deadline || step <= m_options.longestStep);
}

Explorer::Bounds Explorer::bounds(const Division& division)
{
    Strategy s = division.degrees->strategy;
    s.microBatch = division.microBatch;
    m_pricer.choose(s, kNowhere);
    const double step = valueBound(m_pricer.divisionStep(), s);
    return {step, m_pricer.divisionPeak(division.leastInFlight).value() * (1 - kRounding)};
}

std::optional<FoundStrategy> Explorer::simulated(const Strategy& strategy)
{
    const auto price = m_pricer.price(strategy, PipelineTime::Simulated);
    if (!price || !wanted(price->step, price->peak.value()))
        return std::nullopt;
    return FoundStrategy{strategy, m_scratch.training.precision, valueOf(price->step, strategy), price->step, price->peak};
}

Explored Explorer::explore(
    const Division& division, const Bounds& bounds, const Front& known, SearchMode mode, const std::stop_token& stop)
{
    Subtree at{division, known, mode, stop, division.degrees->strategy, {Front(m_options.keep), 0, {}, true}, {}};
    at.strategy.microBatch = division.microBatch;
    const auto leaves = std::size_t(division.leaves());
    if (uses(PruneRule::OutOfMemory) && bounds.peak > m_limit) {
        drop(at, PruneRule::OutOfMemory, leaves);
        return std::move(at.result);
    }
    if (loses(at, PruneRule::DivisionBound, bounds.value, bounds.peak, leaves))
        return std::move(at.result);
    for (const PassPick pass : division.degrees->passes) {
        at.strategy.sequenceParallel = pass.sequenceParallel;
        at.strategy.recompute = pass.recompute;
        explorePasses(at);
    }
    simulateWaiting(at);
    return std::move(at.result);
}

void Explorer::drop(Subtree& at, PruneRule rule, std::size_t strategies)
{
    at.result.pruned[static_cast<std::size_t>(rule)] += std::int64_t(strategies);
}

bool Explorer::loses(Subtree& at, PruneRule rule, double value, double peak, std::size_t strategies)
{
    if (uses(PruneRule::Objective) && m_options.objective == Objective::Deadline && value * (1 - kRounding) > m_options.longestStep.value()) {
        drop(at, PruneRule::Objective, strategies);
        return true;
    }
    if (!uses(rule) || !(at.known.beats(value, peak) || at.result.found.beats(value, peak)))
        return false;
    drop(at, rule, strategies);
    return true;
}

void Explorer::explorePasses(Subtree& at)
{
    if (at.stop.stop_requested()) {
        at.result.whole = false;
        return;
    }
    openPipelines(at);
    if (at.mode == SearchMode::ClosedForm && uses(PruneRule::SameClosedForm))
        dropSameClosedForm(at);
    std::erase_if(m_open, [](const Open& open) { return open.shardings.empty(); });
    if (m_open.empty())
        return;
    for (const PlacementPick& placement : at.division.degrees->placements)
        explorePlacement(at, placement);
}

/// Peaks depend on no place of a group: strategies that do not fit are dropped here, before any link is looked at.
void Explorer::openPipelines(Subtree& at)
{
    const Degrees& degrees = *at.division.degrees;
    m_open.clear();
    for (const PipelinePick& pipeline : *at.division.pipelines) {
        at.strategy.schedule = pipeline.schedule;
        at.strategy.vpp = pipeline.vpp;
        Open open{pipeline, {}, INFINITY};
        for (const ShardingPick& sharding : degrees.shardings) {
            at.strategy.zeroStage = sharding.stage;
            at.strategy.zeroShards = sharding.shards;
            m_pricer.choose(at.strategy, kNowhere);
            const double peak = m_pricer.peak().bytes.value();
            if (uses(PruneRule::OutOfMemory) && peak > m_limit) {
                drop(at, PruneRule::OutOfMemory, degrees.placements.size());
                continue;
            }
            open.shardings.push_back({sharding, degrees.groupsOf(sharding), peak});
            open.leastPeak = std::min(open.leastPeak, peak);
        }
        m_open.push_back(std::move(open));
    }
}

/// Strategies that take as long as another one which fits and has a lower peak belong to no front.
void Explorer::dropSameClosedForm(Subtree& at)
{
    for (Open& open : m_open) {
        const auto twin = leanerTwin(open.pipeline.schedule);
        if (!twin)
            continue;
        const auto leaner = std::find_if(m_open.begin(), m_open.end(),
            [&](const Open& other) { return other.pipeline == PipelinePick{*twin, open.pipeline.vpp}; });
        if (leaner == m_open.end())
            continue;
        const std::size_t dropped = std::erase_if(open.shardings, [&](const Open::Sharding& sharding) {
            return std::any_of(leaner->shardings.begin(), leaner->shardings.end(),
                [&](const Open::Sharding& other) { return other.pick == sharding.pick && other.peak < sharding.peak; });
        });
        drop(at, PruneRule::SameClosedForm, dropped * at.division.degrees->placements.size());
    }
}

void Explorer::explorePlacement(Subtree& at, const PlacementPick& placement)
{
    at.strategy.rankOrder = placement.rankOrder;
    at.strategy.zeroStage = at.strategy.zeroShards = 0;
    m_pricer.choose(at.strategy, placement.groups.front());
    const double bound = valueBound(m_pricer.microBatchStep(), at.strategy);
    for (const Open& open : m_open)
        if (!loses(at, PruneRule::MicroBatchBound, bound, open.leastPeak, open.shardings.size()))
            explorePipeline(at, placement, open);
}

void Explorer::explorePipeline(Subtree& at, const PlacementPick& placement, const Open& open)
{
    if (at.stop.stop_requested()) {
        at.result.whole = false;
        return;
    }
    at.strategy.schedule = open.pipeline.schedule;
    at.strategy.vpp = open.pipeline.vpp;
    double bound = 0;
    if (uses(PruneRule::PipelineBound)) {
        at.strategy.zeroStage = at.strategy.zeroShards = 0;
        m_pricer.choose(at.strategy, placement.groups.front());
        bound = valueBound(m_pricer.pipelineStep(), at.strategy);
    }
    for (const Open::Sharding& sharding : open.shardings)
        if (!loses(at, PruneRule::PipelineBound, bound, sharding.peak, 1))
            exploreLeaf(at, placement, sharding);
}

void Explorer::exploreLeaf(Subtree& at, const PlacementPick& placement, const Open::Sharding& sharding)
{
    at.strategy.zeroStage = sharding.pick.stage;
    at.strategy.zeroShards = sharding.pick.shards;
    m_pricer.choose(at.strategy, placement.groups[sharding.groups]);
    if (at.mode == SearchMode::Simulated && uses(PruneRule::ClosedFormBound)) {
        const double closedForm = valueBound(m_pricer.step(PipelineTime::ClosedForm), at.strategy);
        if (!loses(at, PruneRule::ClosedFormBound, closedForm, sharding.peak, 1))
            at.waiting.push_back({closedForm, sharding.peak, at.strategy});
        return;
    }
    ++at.result.evaluated;
    const auto time = at.mode == SearchMode::Simulated ? PipelineTime::Simulated : PipelineTime::ClosedForm;
    record(at, m_pricer.step(time), sharding.peak, at.strategy);
}

/// The most promising first: most of the others then need no simulation.
void Explorer::simulateWaiting(Subtree& at)
{
    std::stable_sort(at.waiting.begin(), at.waiting.end(), [](const Waiting& a, const Waiting& b) { return a.closedForm < b.closedForm; });
    for (const Waiting& waiting : at.waiting) {
        if (at.stop.stop_requested()) {
            at.result.whole = false;
            return;
        }
        if (loses(at, PruneRule::ClosedFormBound, waiting.closedForm, waiting.peak, 1))
            continue;
        ++at.result.evaluated;
        if (const auto price = m_pricer.price(waiting.strategy, PipelineTime::Simulated))
            record(at, price->step, waiting.peak, waiting.strategy);
    }
}

void Explorer::record(Subtree& at, Seconds step, double peak, const Strategy& strategy)
{
    if (!wanted(step, peak))
        return;
    const double value = valueOf(step, strategy);
    if (!at.known.beats(value, peak) && !at.result.found.beats(value, peak))
        at.result.found.add({strategy, m_scratch.training.precision, value, step, Bytes(peak)});
}

} // namespace stratoplan
