// SPDX-License-Identifier: Apache-2.0
#include "core/search/explore.h"

#include "core/pipeline/program.h"
#include "core/search/no_room.h"

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

Explorer::Explorer(const Plan& plan, const SpaceTree& tree, const SearchOptions& options)
    : m_tree(tree)
    , m_options(options)
    , m_pricer(plan)
    , m_valuation(plan, options)
    , m_globalBatch(plan.training.globalBatch)
    , m_limit(m_valuation.mostBytes())
{
    for (std::size_t i = 0; i < kPruneRules; ++i)
        m_uses[i] = !options.exhaustive && !options.off.contains(PruneRule(i));
}

std::vector<Seconds> Explorer::leastOfSequences(int tp, int cp)
{
    Strategy s;
    s.tp = tp;
    s.cp = cp;
    std::vector<Seconds> least;
    for (const int b : m_tree.allMicroBatches()) {
        s.microBatch = b;
        m_pricer.choose(s, kNowhere);
        least.push_back(m_pricer.sequenceSeconds());
    }
    return least;
}

/// The most promising first.
std::vector<Explorer::Sized> Explorer::sizes(const Division& division, const std::vector<Seconds>& ofSequences)
{
    const Strategy s = division.strategy();
    m_pricer.choose(s, kNowhere);
    std::vector<Sized> sizes;
    const std::vector<int>& all = m_tree.allMicroBatches();
    for (const int size : m_tree.microBatches(division)) {
        const auto place = std::size_t(std::lower_bound(all.begin(), all.end(), size) - all.begin());
        sizes.push_back({size, valueBound(m_pricer.stepOfSequences(ofSequences[place]), s)});
    }
    std::stable_sort(sizes.begin(), sizes.end(), [](const Sized& a, const Sized& b) { return a.bound < b.bound; });
    return sizes;
}

double Explorer::bound(const Division& division, const std::vector<Seconds>& ofSequences)
{
    return sizes(division, ofSequences).front().bound;
}

double Explorer::leastInFlight(int pp, int microBatches)
{
    const auto [known, isNew] = m_leastInFlight.try_emplace({pp, microBatches}, 1);
    if (isNew)
        for (const PipelinePick& pick : m_tree.pipelines(pp, microBatches))
            for (int stage = 0; stage < pp; ++stage)
                known->second = std::min(known->second, inFlight(pick.schedule, pp, pick.vpp, microBatches, stage));
    return known->second;
}

double Explorer::leastPeak(const Strategy& degrees, int size)
{
    Strategy s = degrees;
    s.microBatch = size;
    m_pricer.choose(s, kNowhere);
    const double inFlight = leastInFlight(s.pp, m_globalBatch / s.dp / size);
    return m_pricer.divisionPeak(inFlight).value() * (1 - kRounding);
}

std::optional<FoundStrategy> Explorer::simulated(const Strategy& strategy)
{
    const auto price = m_pricer.price(strategy, PipelineTime::Simulated);
    if (!price || !m_valuation.wants(price->step, price->peak.value()))
        return std::nullopt;
    return FoundStrategy{strategy, m_valuation.precision(), m_valuation.value(price->step, strategy), price->step, price->peak};
}

Explored Explorer::explore(
    const Division& division, const std::vector<Seconds>& ofSequences, const Front& known, SearchMode mode, const std::stop_token& stop)
{
    Explored result{Front(m_options.keep), 0, {}, true};
    std::vector<Waiting> waiting;
    std::vector<Degrees> degrees;
    for (const ExpertPick experts : m_tree.experts(division))
        degrees.push_back(m_tree.degrees(division, experts));
    std::vector<Subtree> subtrees;
    for (const Degrees& one : degrees)
        subtrees.push_back({division, one, known, mode, stop, one.strategy, result, waiting});
    for (const Sized& sized : sizes(division, ofSequences)) {
        std::size_t leaves = 0;
        for (const Degrees& one : degrees)
            leaves += one.passes.size() * one.shardings.size() * one.orders.size();
        leaves *= m_tree.pipelines(division.pp, m_globalBatch / division.dp / sized.size).size();
        double peak = 0; // only looked at where the seconds alone are not enough
        if (m_options.keep == FrontKind::Whole && uses(PruneRule::DivisionBound) && known.beats(sized.bound, INFINITY)) {
            peak = INFINITY;
            for (const Degrees& one : degrees)
                peak = std::min(peak, leastPeak(one.strategy, sized.size));
        }
        if (loses(subtrees.front(), PruneRule::DivisionBound, sized.bound, peak, leaves))
            continue;
        for (Subtree& at : subtrees)
            exploreMicroBatch(at, sized.size);
    }
    simulateWaiting(subtrees.front());
    return result;
}

void Explorer::exploreMicroBatch(Subtree& at, int size)
{
    const Degrees& degrees = at.degrees;
    const int batches = m_globalBatch / at.strategy.dp / size;
    at.pipelines = &m_tree.pipelines(at.strategy.pp, batches);
    at.strategy.microBatch = size;
    at.strategy.zeroShards = 0;
    const std::size_t leaves = degrees.passes.size() * at.pipelines->size() * degrees.shardings.size() * degrees.orders.size();
    m_pricer.choose(at.strategy, kNowhere);
    // Seconds are remembered for all pipelines of a micro-batch: bytes are only looked at where they are not enough.
    const double bound = uses(PruneRule::DivisionBound) ? valueBound(m_pricer.divisionStep(), at.strategy) : 0;
    if (m_options.keep == FrontKind::Best && loses(at, PruneRule::DivisionBound, bound, 0, leaves))
        return;
    const double peak = uses(PruneRule::OutOfMemory) || uses(PruneRule::DivisionBound) ? leastPeak(at.degrees.strategy, size) : 0;
    if (uses(PruneRule::OutOfMemory) && peak > m_limit)
        return drop(at, PruneRule::OutOfMemory, leaves);
    if (loses(at, PruneRule::DivisionBound, bound, peak, leaves))
        return;
    for (const PassPick pass : degrees.passes) {
        at.strategy.sequenceParallel = pass.sequenceParallel;
        at.strategy.recompute = pass.recompute;
        explorePasses(at);
    }
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
    explorePlacements(at);
}

/// A strategy is told by the first order of its class, whichever order it was priced with.
void Explorer::explorePlacements(Subtree& at)
{
    if (at.placements.empty()) {
        at.placements = m_tree.placements(at.degrees);
        if (!uses(PruneRule::SamePlacement))
            at.single = m_tree.placements(at.degrees, false);
    }
    std::size_t open = 0;
    for (const Open& one : m_open)
        open += one.shardings.size();
    for (const PlacementPick& placement : at.placements) {
        at.strategy.rankOrder = placement.orders.front();
        if (at.single.empty()) {
            explorePlacement(at, placement);
            drop(at, PruneRule::SamePlacement, open * (placement.orders.size() - 1));
            continue;
        }
        for (const PlacementPick& one : at.single)
            if (std::find(placement.orders.begin(), placement.orders.end(), one.orders.front()) != placement.orders.end())
                explorePlacement(at, one);
    }
}

/// Peaks depend on no place of a group: strategies that do not fit are dropped here, before any link is looked at.
void Explorer::openPipelines(Subtree& at)
{
    const Degrees& degrees = at.degrees;
    const std::vector<PipelinePick>& pipelines = *at.pipelines;
    m_open.clear();
    for (const PipelinePick& pipeline : pipelines)
        m_open.push_back({pipeline, {}, INFINITY});
    const auto unknown = [&](const PipelinePick& pipeline) { return at.mode == SearchMode::ClosedForm && !hasClosedForm(pipeline.schedule); };
    // From the stage that shares out most to the least, each over all replicas first: see NoRoom.
    std::vector<ShardingPick> shardings = degrees.shardings;
    std::stable_sort(shardings.begin(), shardings.end(), [](const ShardingPick& a, const ShardingPick& b) { return a.stage > b.stage; });
    std::vector<NoRoom> full(pipelines.size());
    // Schedules of one split and sharding have all but their activations in common.
    for (std::size_t begin = 0, end = 0; begin < pipelines.size(); begin = end) {
        while (end < pipelines.size() && pipelines[end].vpp == pipelines[begin].vpp)
            ++end;
        at.strategy.vpp = pipelines[begin].vpp;
        for (const ShardingPick& sharding : shardings) {
            at.strategy.zeroStage = sharding.stage;
            at.strategy.zeroShards = sharding.shards;
            for (std::size_t i = begin; i < end; ++i) {
                if (unknown(pipelines[i]))
                    continue;
                at.strategy.schedule = pipelines[i].schedule;
                double peak = INFINITY;
                if (!uses(PruneRule::OutOfMemory) || !full[i].holds(sharding)) {
                    m_pricer.choose(at.strategy, kNowhere);
                    peak = m_pricer.peak().bytes.value();
                }
                if (uses(PruneRule::OutOfMemory) && peak > m_limit) {
                    full[i].add(sharding);
                    drop(at, PruneRule::OutOfMemory, degrees.orders.size());
                    continue;
                }
                m_open[i].shardings.push_back({sharding, degrees.groupsOf(sharding), peak});
                m_open[i].leastPeak = std::min(m_open[i].leastPeak, peak);
            }
        }
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
        drop(at, PruneRule::SameClosedForm, dropped * at.degrees.orders.size());
    }
}

void Explorer::explorePlacement(Subtree& at, const PlacementPick& placement)
{
    at.strategy.zeroStage = at.strategy.zeroShards = 0;
    m_pricer.choose(at.strategy, placement.groups.front());
    const double bound = uses(PruneRule::MicroBatchBound) ? valueBound(m_pricer.microBatchStep(), at.strategy) : 0;
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
    if (!m_valuation.wants(step, peak))
        return;
    const double value = m_valuation.value(step, strategy);
    if (!at.known.beats(value, peak) && !at.result.found.beats(value, peak))
        at.result.found.add({strategy, m_valuation.precision(), value, step, Bytes(peak)});
}

} // namespace stratoplan
