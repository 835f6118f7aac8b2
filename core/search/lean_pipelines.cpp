// SPDX-License-Identifier: Apache-2.0
#include "core/search/lean_pipelines.h"

#include "core/pipeline/program.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stratoplan::search {

pricing::PieceSeconds withoutEnds(pricing::PieceSeconds pieces)
{
    pieces.embedding = pieces.head = Seconds{};
    return pieces;
}

Seconds LeanPipelines::busiest(const pricing::PieceSeconds& pieces) const
{
    Seconds least(INFINITY);
    for (const Stages& loop : stages) {
        Seconds most{};
        for (const pricing::StageShare& share : loop.shares)
            most = std::max(most, share * pieces - (loop.paired ? pieces.moePairable * share.moeLayers : Seconds{}));
        least = std::min(least, most / loop.ways);
    }
    return least;
}

/// Every layer takes at least what its pieces say, those of prediction modules as if they were kept. Of unlike layers
/// those are repeated that it adds least to.
Seconds LeanPipelines::busiest(
    const pricing::PieceSeconds& kept, const pricing::PieceSeconds& repeated, int count) const
{
    Seconds least(INFINITY);
    for (const Stages& loop : stages) {
        const Seconds hidden = loop.paired ? kept.moePairable : Seconds{};
        const Seconds alsoHidden =
            loop.paired ? std::max(Seconds{}, repeated.moePairable - kept.moePairable) : Seconds{};
        Seconds most{};
        for (const pricing::StageShare& share : loop.shares) {
            Seconds added(INFINITY);
            if (share.denseLayers > 0)
                added = repeated.denseLayer - kept.denseLayer;
            if (share.moeLayers > 0)
                added = std::min(added, repeated.moeLayer - kept.moeLayer - alsoHidden);
            const int layers = share.denseLayers + share.moeLayers - share.predictionModules;
            const int times = std::min(count, layers);
            most = std::max(most, share * kept - hidden * share.moeLayers + (times > 0 ? added * times : Seconds{}));
        }
        least = std::min(least, most / loop.ways);
    }
    return least;
}

const LeanPipelines& KnownPipelines::lean(
    const parallel::Strategy& strategy, space::PipelineKind kind, plan::SearchMode mode, const std::stop_token& stop)
{
    const int pp = strategy.pp;
    const int microBatches = m_pricing.plan().training.globalBatch / strategy.dp / strategy.microBatch;
    const auto [known, isNew] = m_lean.try_emplace({int(mode), pp, microBatches, int(kind)});
    LeanPipelines& result = known->second;
    if (!isNew)
        return result;
    result.picks = leanPicks(pp, microBatches, kind, mode);
    parallel::Strategy s;
    s.pp = pp;
    s.dp = strategy.dp;
    s.microBatch = strategy.microBatch;
    s.inFlightLimit = 1; // of ZB-auto, at the least
    if (sharesVocabulary(kind)) // the second looks ahead less than the first
        s.vocabularyPlacement = kind == space::PipelineKind::Divided ? parallel::VocabularyPlacement::Vocab2
                                                                     : parallel::VocabularyPlacement::Interlaced;
    if (kind == space::PipelineKind::Uneven)
        addUneven(std::move(s), result, stop);
    else
        addEven(std::move(s), result);
    return result;
}

LeanByKind KnownPipelines::lean(const parallel::Strategy& strategy, plan::SearchMode mode, const std::stop_token& stop)
{
    LeanByKind result{};
    const auto add = [&](space::PipelineKind kind) { result[std::size_t(kind)] = &lean(strategy, kind, mode, stop); };
    add(space::PipelineKind::Ends);
    if (m_tree.hasUneven(strategy.pp))
        add(space::PipelineKind::Uneven);
    if (m_tree.dividesVocabulary(strategy.pp)) {
        add(space::PipelineKind::Divided);
        add(space::PipelineKind::Interlaced);
    }
    return result;
}

const UnevenSplits& KnownPipelines::splits(int pp, int chunks, const std::stop_token& stop)
{
    const auto [known, isNew] = m_splits.try_emplace({pp, chunks});
    if (isNew)
        known->second = unevenSplits(m_pricing.plan().model, m_tree.unevenSplits(pp, chunks), chunks, stop);
    return known->second;
}

/// 1F1B holds least of what runs each stage's layers as one chunk, interleaving of what runs them as several: a stage
/// of 1F1B holds min(m, p - i) micro-batches, eager 1F1B, ZB-H1, ZB-H2 and GPipe no fewer, and breadth-first all of
/// them. Both keep one prediction.
std::vector<space::PipelinePick> KnownPipelines::leanPicks(
    int pp, int microBatches, space::PipelineKind kind, plan::SearchMode mode) const
{
    std::vector<space::PipelinePick> picks;
    for (const space::PipelinePick& pick : m_tree.pipelines(pp, microBatches, kind)) {
        if (mode == plan::SearchMode::ClosedForm && !space::hasClosedForm(pick.schedule))
            continue;
        space::PipelinePick lean = pick;
        lean.timingPass = false; // moves neither bytes in memory nor passes
        if (space::hasClosedForm(pick.schedule))
            lean.schedule = pick.vpp > 1 ? parallel::Schedule::Interleaved : parallel::Schedule::OneFOneB;
        if (std::find(picks.begin(), picks.end(), lean) == picks.end())
            picks.push_back(lean);
    }
    return picks;
}

void KnownPipelines::addEven(parallel::Strategy s, LeanPipelines& result)
{
    for (const space::PipelinePick& lean : result.picks) {
        s.vpp = lean.vpp;
        s.schedule = lean.schedule;
        const pricing::PricedDivision division = m_pricing.division(s);
        result.stages.push_back({pricing::stageShares(division.plan()),
            shape(lean.schedule) == parallel::PipelineShape::TwoWay ? 2 : 1, pipeline::runsPairs(lean.schedule)});
        result.held.push_back(pricing::heldLayers(division.plan()));
    }
}

/// What each pipeline holds at the least, whichever the split: every stage as few layers as in any.
void KnownPipelines::addUneven(parallel::Strategy s, LeanPipelines& result, const std::stop_token& stop)
{
    std::set<int> chunks;
    for (const space::PipelinePick& lean : result.picks) {
        const UnevenSplits& uneven = splits(s.pp, lean.vpp, stop);
        if (uneven.busiest.empty())
            continue;
        if (chunks.insert(lean.vpp).second)
            for (const std::vector<pricing::StageShare>& shares : uneven.leanest)
                result.stages.push_back({shares, 1, false});
        s.vpp = lean.vpp;
        s.schedule = lean.schedule;
        result.held.push_back(heldLayers(m_pricing.division(s).plan(), uneven.least));
    }
}

} // namespace stratoplan::search
