// SPDX-License-Identifier: Apache-2.0
// What is known of the strategies of a node before they are looked at one by one: bounds of their steps and peaks.
#include "core/pipeline/program.h"
#include "core/search/explore.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <set>

namespace stratoplan {
namespace {

constexpr LayerStates kNoState;
constexpr std::span kNoStates(&kNoState, 1); // they come on top

} // namespace

PieceSeconds Explorer::withoutEnds(PieceSeconds pieces)
{
    pieces.embedding = pieces.head = Seconds{};
    return pieces;
}

std::size_t Explorer::wayNumber(const Strategy& s)
{
    return (std::size_t(s.sequenceParallel) * 2 + std::size_t(s.offload == Offload::Activations)) * kRecomputeKinds
        + std::size_t(s.recompute);
}

const Explorer::Sequences& Explorer::sequences(const Strategy& strategy)
{
    const auto [known, isNew] = m_sequences.try_emplace({strategy.tp, strategy.cp, int(strategy.contextMethod)});
    Sequences& result = known->second;
    if (!isNew)
        return result;
    Strategy s = strategy;
    for (const bool sequenceParallel : {false, true}) {
        for (const Offload offload : {Offload::None, Offload::Activations}) {
            for (const Recompute recompute : kAllRecompute) {
                if ((sequenceParallel && s.tp == 1)
                    || (offload == Offload::Activations && !m_tree.offloadsActivations()))
                    continue;
                s.sequenceParallel = sequenceParallel;
                s.offload = offload;
                s.recompute = recompute;
                result.ofWays.resize(wayNumber(s) + 1);
                result.ofWays.back() = m_pricing.division(s).sequenceBytes();
                result.leanest.push_back(result.ofWays.back());
            }
        }
    }
    result.leanest = stratoplan::leanest(result.leanest);
    // Some stage has a layer of either kind, whatever the pipeline.
    const HeldLayers anyPipeline{int(m_denseLayers > 0), int(m_moeLayers > 0)};
    const auto least = [&](int size) { return leastBytes(result.leanest, kNoStates, {&anyPipeline, 1}, size); };
    const double each = least(1) - least(0);
    const double most = each > 0 ? (m_valuation.mostBytes() - least(0)) / (each * (1 - kSumRounding)) : m_globalBatch;
    result.most = int(std::clamp(most, 0.0, double(m_globalBatch)));
    return result;
}

double Explorer::leastBytes(std::span<const SequenceBytes> ways, std::span<const LayerStates> states,
    std::span<const HeldLayers> stages, int sequences) const
{
    const Bytes least =
        stratoplan::leastPeak(ways, states, stages, sequences, m_pricing.reserve(), m_pricing.hostCapacity());
    return least.value() * (1 - kSumRounding);
}

/// Of pipelines and ways to run a micro-batch of all kinds; those that recompute first layers are among the even ones.
double Explorer::leastPeak(const Strategy& s)
{
    const Sequences& known = sequences(s);
    double least = leastPeak(leanest(s, PipelineKind::Ends), known.leanest, kNoStates, s.microBatch);
    for (const PipelineKind kind : {PipelineKind::Uneven, PipelineKind::Divided, PipelineKind::Interlaced})
        if (kind == PipelineKind::Uneven ? m_tree.hasUneven(s.pp) : m_tree.dividesVocabulary(s.pp))
            least = std::min(least, leastPeak(leanest(s, kind), known.leanest, kNoStates, s.microBatch));
    return least;
}

/// For the best strategy alone it is enough to know that there is room.
double Explorer::leastPeak(const Leanest& pipelines, std::span<const SequenceBytes> ways,
    std::span<const LayerStates> states, int microBatch) const
{
    double least = INFINITY;
    for (const std::vector<HeldLayers>& held : pipelines.held) {
        least = std::min(least, leastBytes(ways, states, held, microBatch));
        if (m_options.keep == FrontKind::Best && least <= m_valuation.mostBytes())
            return 0;
    }
    return least;
}

Explorer::Pieces& Explorer::pieces(const Strategy& s)
{
    return m_pieces[{s.tp, s.cp, int(s.contextMethod), s.microBatch}];
}

/// Of the micro-batch, with the experts divided in any way.
Seconds Explorer::sequenceSeconds(const Strategy& s)
{
    Seconds& known = pieces(s).ofSequence[std::size_t(s.pp > 1)];
    if (known < Seconds{})
        known = m_pricing.division(s).sequenceSeconds(m_tree.leastRanks(), m_tree.dividesVocabulary(s.pp));
    return known;
}

/// Of all micro-batches that there may be room for.
Seconds Explorer::leastSequence(Strategy s)
{
    const int most = uses(PruneRule::OutOfMemory) ? sequences(s).most : m_globalBatch;
    const auto [known, isNew] =
        m_leastSequences.try_emplace({s.tp, s.cp, int(s.contextMethod), int(s.pp > 1)}, Seconds(INFINITY));
    for (const int size : m_tree.allMicroBatches()) {
        if (!isNew || size > most)
            break;
        s.microBatch = size;
        known->second = std::min(known->second, sequenceSeconds(s));
    }
    return known->second;
}

/// Whether where the tensor ranks lie can make the expert groups smaller (see seconds(Collective)): then replicas
/// count, which divisions of one row of pieces have different numbers of.
bool Explorer::dependsOnReplicas(const Strategy& s)
{
    return s.etp < s.tp && s.ep > s.dp * s.cp;
}

PieceSeconds Explorer::expertPieces(Pieces& pieces, const Strategy& s, ExpertPick experts)
{
    if (dependsOnReplicas(s))
        return m_pricing.division(s).expertPieces(m_tree.leastRanks());
    const auto place = std::size_t(experts.number * 2 + int(s.sequenceParallel));
    if (pieces.ofExperts.size() <= place)
        pieces.ofExperts.resize(place + 1);
    std::optional<PieceSeconds>& known = pieces.ofExperts[place];
    if (!known)
        known = m_pricing.division(s).expertPieces(m_tree.leastRanks());
    return *known;
}

/// With the vocabulary at the ends.
PieceSeconds Explorer::passPieces(Pieces& pieces, Strategy s, ExpertPick experts)
{
    s.vocabularyPlacement = VocabularyPlacement::Ends;
    constexpr std::size_t kOffloads = 3;
    if (dependsOnReplicas(s))
        return m_pricing.division(s).leastPieces(m_tree.leastRanks());
    if (pieces.ofPasses.size() <= std::size_t(experts.number))
        pieces.ofPasses.resize(std::size_t(experts.number) + 1);
    auto& ofExperts = pieces.ofPasses[std::size_t(experts.number)];
    ofExperts.resize(2 * kOffloads * kRecomputeKinds);
    std::optional<PieceSeconds>& known =
        ofExperts[(std::size_t(s.sequenceParallel) * kOffloads + std::size_t(s.offload)) * kRecomputeKinds
            + std::size_t(s.recompute)];
    if (!known)
        known = m_pricing.division(s).leastPieces(m_tree.leastRanks());
    return *known;
}

/// The best of all divisions of the experts, with nothing repeated.
double Explorer::microBatchBound(const Strategy& strategy, const Division& division)
{
    Strategy s = strategy;
    Pieces& known = pieces(s);
    const bool divides = m_tree.dividesVocabulary(s.pp);
    const std::array pipelines{&leanest(s, PipelineKind::Ends),
        m_tree.hasUneven(s.pp) ? &leanest(s, PipelineKind::Uneven) : nullptr,
        divides ? &leanest(s, PipelineKind::Divided) : nullptr,
        divides ? &leanest(s, PipelineKind::Interlaced) : nullptr};
    constexpr std::size_t kWithEnds = 2; // of these
    Seconds least(INFINITY);
    for (const ExpertPick experts : m_tree.experts(division)) {
        s.ep = experts.ep;
        s.etp = experts.etp;
        for (const bool sequenceParallel : {false, true}) {
            s.sequenceParallel = sequenceParallel;
            if (sequenceParallel && s.tp == 1)
                continue;
            const PieceSeconds ofExperts = expertPieces(known, s, experts);
            for (std::size_t i = 0; i < pipelines.size(); ++i)
                if (pipelines[i] != nullptr)
                    least = std::min(least, pipelines[i]->busiest(i < kWithEnds ? ofExperts : withoutEnds(ofExperts)));
        }
    }
    return m_valuation.bound(m_pricing.division(s).stepOfStage(least), s);
}

Seconds Explorer::Leanest::busiest(const PieceSeconds& pieces) const
{
    Seconds least(INFINITY);
    for (const Stages& one : stages) {
        Seconds most{};
        for (const StageShare& share : one.shares)
            most = std::max(most, share * pieces - (one.paired ? pieces.moePairable * share.moeLayers : Seconds{}));
        least = std::min(least, most / one.ways);
    }
    return least;
}

/// Every layer takes at least what its pieces say, those of prediction modules as if they were kept. Of unlike layers
/// those are repeated that it adds least to.
Seconds Explorer::Leanest::busiest(const PieceSeconds& kept, const PieceSeconds& repeated, int count) const
{
    Seconds least(INFINITY);
    for (const Stages& one : stages) {
        const Seconds hidden = one.paired ? kept.moePairable : Seconds{};
        const Seconds alsoHidden =
            one.paired ? std::max(Seconds{}, repeated.moePairable - kept.moePairable) : Seconds{};
        Seconds most{};
        for (const StageShare& share : one.shares) {
            Seconds added(INFINITY);
            if (share.denseLayers > 0)
                added = repeated.denseLayer - kept.denseLayer;
            if (share.moeLayers > 0)
                added = std::min(added, repeated.moeLayer - kept.moeLayer - alsoHidden);
            const int layers = share.denseLayers + share.moeLayers - share.predictionModules;
            const int times = std::min(count, layers);
            most = std::max(most, share * kept - hidden * share.moeLayers + (times > 0 ? added * times : Seconds{}));
        }
        least = std::min(least, most / one.ways);
    }
    return least;
}

/// 1F1B holds least of what runs each stage's layers as one chunk, interleaving of what runs them as several: a stage
/// of 1F1B holds min(m, p - i) micro-batches, eager 1F1B, ZB-H1, ZB-H2 and GPipe no fewer, and breadth-first all of
/// them. Both keep one prediction.
const Explorer::Leanest& Explorer::leanest(const Strategy& strategy, PipelineKind kind)
{
    const int pp = strategy.pp, microBatches = m_globalBatch / strategy.dp / strategy.microBatch;
    const auto [known, isNew] = m_leanest.try_emplace({int(m_mode), pp, microBatches, int(kind)});
    Leanest& result = known->second;
    if (!isNew)
        return result;
    for (const PipelinePick& pick : m_tree.pipelines(pp, microBatches, kind)) {
        if (m_mode == SearchMode::ClosedForm && !hasClosedForm(pick.schedule))
            continue;
        PipelinePick lean = pick;
        lean.timingPass = false; // moves neither bytes in memory nor passes
        if (hasClosedForm(pick.schedule))
            lean.schedule = pick.vpp > 1 ? Schedule::Interleaved : Schedule::OneFOneB;
        if (std::find(result.pipelines.begin(), result.pipelines.end(), lean) == result.pipelines.end())
            result.pipelines.push_back(lean);
    }
    Strategy s;
    s.pp = pp;
    s.dp = strategy.dp;
    s.microBatch = strategy.microBatch;
    s.inFlightLimit = 1; // of ZB-auto, at the least
    if (kind == PipelineKind::Divided || kind == PipelineKind::Interlaced) // the second looks ahead less than the first
        s.vocabularyPlacement =
            kind == PipelineKind::Divided ? VocabularyPlacement::Vocab2 : VocabularyPlacement::Interlaced;
    if (kind == PipelineKind::Uneven)
        addUneven(s, result);
    else
        addEven(s, result);
    return result;
}

void Explorer::addEven(const Strategy& strategy, Leanest& result)
{
    Strategy s = strategy;
    for (const PipelinePick& lean : result.pipelines) {
        s.vpp = lean.vpp;
        s.schedule = lean.schedule;
        const PricedDivision division = m_pricing.division(s);
        result.stages.push_back({stageShares(division.plan()), shape(lean.schedule) == PipelineShape::TwoWay ? 2 : 1,
            runsPairs(lean.schedule)});
        result.held.push_back(heldLayers(division.plan()));
    }
}

/// What each pipeline holds at the least, whichever the split: every stage as few layers as in any.
void Explorer::addUneven(const Strategy& strategy, Leanest& result)
{
    Strategy s = strategy;
    std::set<int> chunks;
    for (const PipelinePick& lean : result.pipelines) {
        const Splits& uneven = splits(s.pp, lean.vpp);
        if (uneven.shares.empty())
            continue;
        if (chunks.insert(lean.vpp).second)
            for (const std::vector<StageShare>& shares : uneven.leanest)
                result.stages.push_back({shares, 1, false});
        s.vpp = lean.vpp;
        s.schedule = lean.schedule;
        result.held.push_back(heldLayers(m_pricing.division(s).plan(), uneven.least));
    }
}

/// A split whose stages each do no less of anything than some stage of another one is no less busy than that, whatever
/// its pieces take.
const Explorer::Splits& Explorer::splits(int pp, int chunks)
{
    const auto [known, isNew] = m_splits.try_emplace({pp, chunks});
    Splits& result = known->second;
    if (!isNew)
        return result;
    const auto isBusier = [](const std::vector<StageShare>& a, const std::vector<StageShare>& b) {
        return std::ranges::all_of(b, [&](const StageShare& less) {
            return std::ranges::any_of(a, [&](const StageShare& more) { return doesNoMore(less, more); });
        });
    };
    for (const std::vector<int>& layers : m_tree.unevenSplits(pp, chunks)) {
        if (m_stop.stop_requested())
            break;
        const std::vector<ChunkShares> ofChunks = loopShares(m_model, layers, chunks);
        const std::vector<StageShare> stages = wholeStages(ofChunks);
        const auto lower = [](StageShare& least, const StageShare& own) {
            least = {std::min(least.denseLayers, own.denseLayers), std::min(least.moeLayers, own.moeLayers),
                own.lookUps, own.predictions, own.predictionModules};
        };
        constexpr StageShare kAny{INT_MAX, INT_MAX, 0, 0, 0};
        result.least.resize(stages.size(), kAny);
        result.leastChunks.resize(stages.size(), ChunkShares(std::size_t(chunks), kAny));
        for (std::size_t i = 0; i < stages.size(); ++i) {
            lower(result.least[i], stages[i]);
            for (std::size_t c = 0; c < std::size_t(chunks); ++c)
                lower(result.leastChunks[i][c], ofChunks[i][c]);
        }
        result.shares.push_back(stratoplan::busiest(stages));
        const std::vector<StageShare>& own = result.shares.back();
        if (std::ranges::any_of(result.leanest, [&](const auto& other) { return isBusier(own, other); }))
            continue;
        std::erase_if(result.leanest, [&](const auto& other) { return isBusier(other, own); });
        result.leanest.push_back(own);
    }
    return result;
}

/// Over all replicas ZeRO-2 holds least of what gathers no weights, and ZeRO-3 of what does; ZeRO-0 may hold less than
/// both where gradients are flattened (see NoRoom).
std::vector<int> Explorer::leanestStages(const Degrees& degrees) const
{
    std::vector<int> stages;
    int most = -1; // up to ZeRO-2
    for (const ShardingPick& pick : degrees.shardings) {
        if (pick.stage < 3)
            most = std::max(most, pick.stage);
        else if (stages.empty())
            stages.push_back(pick.stage);
    }
    if (most >= 0)
        stages.push_back(most);
    if (m_flattens && most > 0
        && std::ranges::any_of(degrees.shardings, [](const ShardingPick& pick) { return pick.stage == 0; }))
        stages.push_back(0);
    return stages;
}

std::vector<LayerStates> Explorer::leanestStates(Strategy s, const Degrees& degrees)
{
    std::vector<LayerStates> states;
    for (const int stage : leanestStages(degrees)) {
        s.zeroStage = stage;
        states.push_back(m_pricing.division(s).layerStates());
    }
    return states;
}

/// Exactly that of the leanest schedules and shardings. Of even splits.
double Explorer::leanestPeak(Strategy s, const Degrees& degrees, PipelineKind kind, int firstLayers)
{
    double least = INFINITY;
    const std::vector<int> zeroStages = leanestStages(degrees);
    for (const PipelinePick& lean : leanest(s, kind).pipelines) {
        s.schedule = lean.schedule;
        s.vpp = lean.vpp;
        s.inFlightLimit = 1; // of ZB-auto, at the least
        if (firstLayers > 0)
            recomputeFirst(s, m_tree.layers(), firstLayers);
        for (const int stage : zeroStages) {
            s.zeroStage = stage;
            least = std::min(least, fittingPeak(s) * (1 - kSumRounding));
            // One that fits is enough to know that there is room.
            if (m_options.keep == FrontKind::Best && least <= m_valuation.mostBytes())
                return 0;
        }
    }
    return least;
}

/// The place of the fewest for which some schedule and sharding may have room; the end where none has. A layer that is
/// recomputed keeps no more than another one, and what passes need meanwhile is that of the layer that needs most of
/// each kind: where fewer fit so do more.
int Explorer::fewestLayers(const Strategy& strategy, const Degrees& degrees)
{
    const std::vector<int>& all = m_tree.firstLayers(strategy.pp);
    const auto fits = [&](int count) {
        return leanestPeak(strategy, degrees, PipelineKind::FirstLayers, count) <= m_valuation.mostBytes();
    };
    return int(std::partition_point(all.begin(), all.end(), [&](int count) { return !fits(count); }) - all.begin());
}

double Explorer::fittingPeak(const Strategy& strategy)
{
    const StrategyPeak peak = m_pricing.division(strategy).peak();
    return peak.host <= m_pricing.hostCapacity() ? peak.bytes.value() : INFINITY;
}

} // namespace stratoplan
