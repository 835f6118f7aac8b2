// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/sequence_bounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan {
namespace {

constexpr std::size_t kMostPieces = 1 << 16;

Seconds total(const LayerCost& layer)
{
    return layer.forward.total() + layer.backward.total() + layer.recompute.total();
}

/// Of tensor and context parallelism.
Seconds traffic(const PassCost& forward, const PassCost& backward)
{
    return forward.exposed.tp + forward.exposed.cp + backward.exposed.tp + backward.exposed.cp;
}

StageShare wholeModel(const Plan& plan)
{
    const LayerCounts counts = layerCounts(plan.model);
    const int modules = plan.model.multiTokenPredictionDepth;
    StageShare whole{counts.dense, counts.moe, 1 + modules, 1 + modules, modules};
    (plan.model.moe ? whole.moeLayers : whole.denseLayers) += modules;
    return whole;
}

} // namespace

SequenceBounds::SequenceBounds(Plan& plan, const Machine& machine, Works& works)
    : m_plan(plan)
    , m_machine(machine)
    , m_works(works)
    , m_whole(wholeModel(plan))
{
}

Seconds SequenceBounds::ofProducts()
{
    const Strategy own = m_plan.strategy;
    m_plan.strategy = {};
    const LoweredWork& work = m_works.computed(m_plan);
    // Padded for one rank, which may be more than for all stages together.
    const double vocabulary = double(m_plan.model.vocabulary) / paddedVocabulary(m_plan.model.vocabulary, 1);
    const PieceSeconds pieces{work.denseAtPeak, work.moeAtPeak, {}, work.headAtPeak * vocabulary, work.mergeAtPeak};
    m_plan.strategy = own;
    return m_whole * pieces;
}

Seconds SequenceBounds::ofSequence(int leastRanks)
{
    const Strategy own = m_plan.strategy;
    m_plan.strategy.ep = m_plan.strategy.etp = 1;
    m_plan.strategy.recompute = Recompute::None;
    Seconds least(INFINITY);
    for (const bool sequenceParallel : {false, true}) {
        if (sequenceParallel && own.tp == 1)
            break;
        m_plan.strategy.sequenceParallel = sequenceParallel;
        const LoweredWork& work = m_works.computed(m_plan);
        Deployment anywhere(m_plan, m_machine, GroupSpans());
        anywhere.leastRanks = leastRanks;
        const MicroBatchCost cost = microBatchCost(anywhere, work.work, work.compute);
        const MicroBatchCompute& c = work.compute;
        const PieceSeconds pieces{
            c.denseForward.total + c.denseBackward.total + traffic(cost.dense.forward, cost.dense.backward),
            work.besideExperts + work.expertsAtPeak + traffic(cost.moe.forward, cost.moe.backward),
            c.embeddingForward.total + c.embeddingBackward.total + traffic(cost.embeddingForward, cost.embeddingBackward),
            c.headForward.total + c.headBackward.total + traffic(cost.headForward, cost.headBackward),
            c.mergeForward.total + c.mergeBackward.total + traffic(cost.mergeForward, cost.mergeBackward)};
        StageShare whole = m_whole;
        whole.lookUps *= vocabularyStages(own);
        whole.predictions *= vocabularyStages(own);
        least = std::min(least, whole * pieces / own.microBatch);
    }
    m_plan.strategy = own;
    return least;
}

Bytes SequenceBounds::leastActivation()
{
    const Strategy own = m_plan.strategy;
    m_plan.strategy.ep = m_plan.strategy.etp = 1;
    Bytes least(INFINITY);
    for (const bool sequenceParallel : {false, true}) {
        m_plan.strategy.sequenceParallel = sequenceParallel && own.tp > 1;
        const MicroBatchWork& work = m_works.lowered(m_plan).work;
        for (const auto& [layer, count] : {std::pair(&work.dense, m_whole.denseLayers), std::pair(&work.moe, m_whole.moeLayers)})
            for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full})
                if (count > 0)
                    least = std::min(least, keptActivations(layer->activations, recompute));
    }
    m_plan.strategy = own;
    return least / own.microBatch;
}

const PieceSeconds& SequenceBounds::ofPieces(int leastRanks)
{
    if (m_pieces.size() > kMostPieces)
        m_pieces.clear();
    const Strategy& s = m_plan.strategy;
    Key<10> key;
    key.add(workKey(s));
    key.add(int(s.recompute));
    key.add(s.etp < s.tp ? std::min(s.ep, s.dp * s.cp) : s.ep); // see seconds(Collective)
    return m_pieces.get(key, [&] {
        const LoweredWork& work = m_works.computed(m_plan);
        Deployment anywhere(m_plan, m_machine, GroupSpans());
        anywhere.leastRanks = leastRanks;
        const MicroBatchCost cost = microBatchCost(anywhere, work.work, work.compute);
        return PieceSeconds{total(cost.dense), total(cost.moe), cost.embeddingForward.total() + cost.embeddingBackward.total(),
            cost.headForward.total() + cost.headBackward.total(), cost.mergeForward.total() + cost.mergeBackward.total()};
    });
}

Seconds SequenceBounds::ofLongestStage(const PieceSeconds& pieces)
{
    const Strategy& s = m_plan.strategy;
    const auto [shares, isNew] = m_shares.try_emplace({s.pp, s.vpp, vocabularyNumber(s)});
    if (isNew)
        shares->second = stageShares(m_plan);
    Seconds longest{};
    for (const StageShare& share : shares->second)
        longest = std::max(longest, share * pieces);
    return longest * double(microBatches(m_plan));
}

Seconds SequenceBounds::ofMeanStage(const PieceSeconds& pieces) const
{
    StageShare whole = m_whole;
    whole.lookUps *= vocabularyStages(m_plan.strategy);
    whole.predictions *= vocabularyStages(m_plan.strategy);
    return whole * pieces * (double(microBatches(m_plan)) / m_plan.strategy.pp);
}

} // namespace stratoplan
