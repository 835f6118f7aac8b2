// SPDX-License-Identifier: Apache-2.0
#include "core/search/peak_bounds.h"

#include "core/search/node.h"
#include "core/search/step_bounds.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::search {
namespace {

constexpr pricing::LayerStates kNoState;
constexpr std::span kNoStates(&kNoState, 1); // they come on top

/// Of a way to run a micro-batch, as far as its activations go.
std::size_t wayNumber(const parallel::Strategy& s)
{
    return (unrepeatedWay(s) * 2 + std::size_t(s.offload == parallel::Offload::Activations)) * parallel::kRecomputeKinds
        + std::size_t(s.recompute);
}

} // namespace

bool flattensGradients(const plan::SoftwareProfile& software)
{
    return software.flatGradientBytes > 0 || software.reduceBuckets.value() > 0;
}

PeakBounds::PeakBounds(
    pricing::PricingContext& pricing, const space::SpaceTree& tree, const Valuation& valuation, FrontKind keep)
    : m_pricing(pricing)
    , m_tree(tree)
    , m_valuation(valuation)
    , m_keep(keep)
    , m_flattens(flattensGradients(pricing.plan().training.software))
{
}

double PeakBounds::ofMicroBatch(const parallel::Strategy& s, const LeanByKind& lean)
{
    const Sequences& known = sequences(s);
    double least = INFINITY;
    for (const LeanPipelines* const pipelines : lean)
        if (pipelines != nullptr)
            least = std::min(least, leastPeak(*pipelines, known.leanest, kNoStates, s.microBatch));
    return least;
}

double PeakBounds::ofPass(const parallel::Strategy& s, std::span<const pricing::SequenceBytes> ways,
    const LeanPipelines& lean, std::span<const pricing::LayerStates> states) const
{
    return leastPeak(lean, ways.subspan(wayNumber(s), 1), states, s.microBatch);
}

double PeakBounds::ofPipeline(
    const parallel::Strategy& s, std::span<const pricing::HeldLayers> held, const pricing::LayerStates& states)
{
    return leastBytes(ways(s).subspan(wayNumber(s), 1), {&states, 1}, held, s.microBatch);
}

std::vector<pricing::LayerStates> PeakBounds::leanestStates(parallel::Strategy s, const space::Degrees& degrees)
{
    std::vector<pricing::LayerStates> states;
    for (const int stage : leanestStages(degrees)) {
        s.zeroStage = stage;
        const pricing::PricedDivision division = m_pricing.division(undividedLayers(s));
        states.push_back(unrepeatedWay(s) == 2 ? division.dividedLayerStates() : division.layerStates());
    }
    return states;
}

double PeakBounds::ofLeanestSharding(
    parallel::Strategy s, const space::Degrees& degrees, const LeanPipelines& lean, int firstLayers) const
{
    double least = INFINITY;
    const std::vector<int> zeroStages = leanestStages(degrees);
    for (const space::PipelinePick& pick : lean.picks) {
        s.schedule = pick.schedule;
        s.vpp = pick.vpp;
        s.inFlightLimit = 1; // of ZB-auto, at the least
        if (firstLayers > 0)
            space::recomputeFirst(s, m_tree.layers(), firstLayers);
        for (const int stage : zeroStages) {
            s.zeroStage = stage;
            least = std::min(least, exact(s) * (1 - kSumRounding));
            if (isEnough(least))
                return 0;
        }
    }
    return least;
}

/// A layer that is recomputed keeps no more than another one, and what passes need meanwhile is that of the layer that
/// needs most of each kind: where fewer fit so do more.
int PeakBounds::fewestLayers(
    const parallel::Strategy& strategy, const space::Degrees& degrees, const LeanPipelines& lean) const
{
    const std::vector<int>& all = m_tree.firstLayers(strategy.pp);
    const auto fits = [&](int count) {
        return ofLeanestSharding(strategy, degrees, lean, count) <= m_valuation.mostBytes();
    };
    return int(std::partition_point(all.begin(), all.end(), [&](int count) { return !fits(count); }) - all.begin());
}

double PeakBounds::exact(const parallel::Strategy& strategy) const
{
    const pricing::StrategyPeak peak = m_pricing.division(strategy).peak();
    return peak.host <= m_pricing.hostCapacity() ? peak.bytes.value() : INFINITY;
}

const PeakBounds::Sequences& PeakBounds::sequences(const parallel::Strategy& s)
{
    const auto [known, isNew] = m_sequences.try_emplace({s.tp, s.cp, int(s.contextMethod)});
    if (isNew)
        known->second = findSequences(s);
    return known->second;
}

PeakBounds::Sequences PeakBounds::findSequences(parallel::Strategy s) const
{
    Sequences result;
    for (std::size_t way = 0; way < kUnrepeatedWays; ++way)
        for (const parallel::Offload offload : {parallel::Offload::None, parallel::Offload::Activations}) {
            if ((way == 1 && s.tp == 1) || (way == 2 && !m_tree.dividesLayers(s.tp, s.cp))
                || (offload == parallel::Offload::Activations && !m_tree.offloadsActivations()))
                continue;
            for (const parallel::Recompute recompute : parallel::kAllRecompute) {
                s.sequenceParallel = way == 1;
                s.tensorPartition =
                    way == 2 ? parallel::TensorPartition::SpatialTemporal : parallel::TensorPartition::Megatron;
                s.offload = offload;
                s.recompute = recompute;
                result.ofWays.resize(wayNumber(s) + 1);
                const pricing::PricedDivision division = m_pricing.division(undividedLayers(s));
                result.ofWays.back() = way == 2 ? division.dividedSequenceBytes() : division.sequenceBytes();
                result.leanest.push_back(result.ofWays.back());
            }
        }
    result.leanest = leanest(result.leanest);
    result.most = mostSequences(result.leanest);
    return result;
}

int PeakBounds::mostSequences(std::span<const pricing::SequenceBytes> ways) const
{
    // Some stage has a layer of either kind, whatever the pipeline.
    const model::LayerCounts counts = layerCounts(m_pricing.plan().model);
    const pricing::HeldLayers anyPipeline{int(counts.dense > 0), int(counts.moe > 0)};
    const auto least = [&](int size) { return leastBytes(ways, kNoStates, {&anyPipeline, 1}, size); };
    const int globalBatch = m_pricing.plan().training.globalBatch;
    const double each = least(1) - least(0);
    const double most = each > 0 ? (m_valuation.mostBytes() - least(0)) / (each * (1 - kSumRounding)) : globalBatch;
    return int(std::clamp(most, 0.0, double(globalBatch)));
}

double PeakBounds::leastPeak(const LeanPipelines& lean, std::span<const pricing::SequenceBytes> ways,
    std::span<const pricing::LayerStates> states, int microBatch) const
{
    double least = INFINITY;
    for (const std::vector<pricing::HeldLayers>& held : lean.held) {
        least = std::min(least, leastBytes(ways, states, held, microBatch));
        if (isEnough(least))
            return 0;
    }
    return least;
}

double PeakBounds::leastBytes(std::span<const pricing::SequenceBytes> ways,
    std::span<const pricing::LayerStates> states, std::span<const pricing::HeldLayers> stages, int sequences) const
{
    const Bytes least =
        pricing::leastPeak(ways, states, stages, sequences, m_pricing.reserve(), m_pricing.hostCapacity());
    return least.value() * (1 - kSumRounding);
}

/// Over all replicas ZeRO-2 holds least of what gathers no weights, and ZeRO-3 of what does; ZeRO-0 may hold less than
/// both where gradients are flattened (see NoRoom).
std::vector<int> PeakBounds::leanestStages(const space::Degrees& degrees) const
{
    std::vector<int> stages;
    int most = -1; // up to ZeRO-2
    for (const space::ShardingPick& pick : degrees.shardings) {
        if (pick.stage < 3)
            most = std::max(most, pick.stage);
        else if (stages.empty())
            stages.push_back(pick.stage);
    }
    if (most >= 0)
        stages.push_back(most);
    if (m_flattens && most > 0
        && std::ranges::any_of(degrees.shardings, [](const space::ShardingPick& pick) { return pick.stage == 0; }))
        stages.push_back(0);
    return stages;
}

} // namespace stratoplan::search
