// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/sequence_bounds.h"

#include "core/workload/layer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace stratoplan {
namespace {

Seconds total(const LayerCost& layer)
{
    return layer.forward.total() + layer.backward.total() + layer.recompute.total();
}

Seconds pairable(const LayerCost& layer)
{
    return layer.forward.pairable + layer.backward.pairable + layer.recompute.pairable;
}

/// Of tensor and context parallelism.
Seconds traffic(const PassCost& forward, const PassCost& backward)
{
    return forward.exposed.tp + forward.exposed.cp + backward.exposed.tp + backward.exposed.cp;
}

} // namespace

PieceSeconds pieces(const MicroBatchCost& cost)
{
    return {total(cost.dense), total(cost.moe), cost.embeddingForward.total() + cost.embeddingBackward.total(),
        cost.headForward.total() + cost.headBackward.total(), cost.mergeForward.total() + cost.mergeBackward.total(),
        pairable(cost.moe)};
}

SequenceBounds::SequenceBounds(Plan& plan, const Machine& machine, Works& works)
    : m_plan(plan)
    , m_machine(machine)
    , m_works(works)
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
    const StageShare whole = wholeModel(m_plan);
    m_plan.strategy = own;
    return whole * pieces;
}

Seconds SequenceBounds::ofSequence(int leastRanks, bool anyVocabulary)
{
    const Strategy own = m_plan.strategy;
    m_plan.strategy.ep = m_plan.strategy.etp = 1;
    m_plan.strategy.recompute = Recompute::None;
    m_plan.strategy.vocabularyPlacement = VocabularyPlacement::Ends;
    m_plan.strategy.offload = Offload::None;
    Seconds least(INFINITY);
    for (const bool sequenceParallel : {false, true}) {
        if (sequenceParallel && own.tp == 1)
            break;
        m_plan.strategy.sequenceParallel = sequenceParallel;
        const LoweredWork& work = m_works.computed(m_plan);
        const MicroBatchCost cost = microBatchCost(anywhere(leastRanks), work.work, work.compute);
        const MicroBatchCompute& c = work.compute;
        PieceSeconds pieces{
            c.denseForward.total + c.denseBackward.total + traffic(cost.dense.forward, cost.dense.backward),
            work.besideForward + work.besideBackward + work.expertsAtPeak
                + traffic(cost.moe.forward, cost.moe.backward),
            c.embeddingForward.total + c.embeddingBackward.total
                + traffic(cost.embeddingForward, cost.embeddingBackward),
            c.headForward.total + c.headBackward.total + traffic(cost.headForward, cost.headBackward),
            c.mergeForward.total + c.mergeBackward.total + traffic(cost.mergeForward, cost.mergeBackward)};
        if (anyVocabulary) {
            pieces.embedding = {};
            pieces.head =
                work.headAtPeak * (double(m_plan.model.vocabulary) / paddedVocabulary(m_plan.model.vocabulary, own.tp));
        }
        least = std::min(least, wholeModel(m_plan) * pieces / own.microBatch);
    }
    m_plan.strategy = own;
    return least;
}

Deployment SequenceBounds::anywhere(int leastRanks) const
{
    Deployment deployment(m_plan, m_machine, GroupSpans());
    deployment.leastRanks = leastRanks;
    return deployment;
}

SequenceBounds::Undivided SequenceBounds::undivided(int leastRanks)
{
    const LoweredWork& lowered = m_works.computed(m_plan);
    const MicroBatchCost cost = microBatchCost(anywhere(leastRanks), lowered.work, lowered.compute);
    Undivided result{&lowered, lowered.work.moe, lowered.compute.moeForward, lowered.compute.moeBackward, pieces(cost)};
    for (Pass* pass : {&result.moe.forward, &result.moe.backward})
        pass->collectives.push_back({"exchange with the experts", CollectiveKind::AllToAll, Axis::Ep, {}, 2});
    return result;
}

const ExpertSeconds& SequenceBounds::products(const LoweredWork& work)
{
    const Strategy& s = m_plan.strategy;
    const int common = std::gcd(s.microBatch, s.cp);
    Key<5> key;
    for (const int number : {s.tp, s.microBatch / common, s.cp / common, s.ep, s.etp})
        key.add(number);
    return m_products.get(key, [&] { return expertSeconds(work, s.ep, s.etp, m_machine, m_plan.training.software); });
}

PieceSeconds SequenceBounds::ofExperts(int leastRanks)
{
    const Strategy own = m_plan.strategy;
    m_plan.strategy.ep = m_plan.strategy.etp = 1;
    m_plan.strategy.recompute = Recompute::None;
    m_plan.strategy.vocabularyPlacement = VocabularyPlacement::Ends;
    m_plan.strategy.offload = Offload::None;
    Undivided& base = m_undivided.get(workKey(m_plan.strategy), [&] { return undivided(leastRanks); });
    m_plan.strategy.ep = own.ep;
    m_plan.strategy.etp = own.etp;
    PieceSeconds result = base.pieces;
    if (m_plan.model.moe) {
        const ExpertSeconds& ofExperts = products(*base.lowered);
        base.moeForward.total = base.lowered->besideForward + ofExperts.forward;
        base.moeBackward.total = base.lowered->besideBackward + ofExperts.backward;
        base.moe.expertParameters = base.lowered->work.moe.expertParameters / (double(own.ep) * own.etp);
        const Bytes exchange = expertExchange(layerShape(m_plan));
        base.moe.forward.collectives.back().bytes = base.moe.backward.collectives.back().bytes = exchange;
        const LayerCost layer = layerCost(anywhere(leastRanks), base.moe, base.moeForward, base.moeBackward);
        result.moeLayer = total(layer);
        result.moePairable = pairable(layer);
    }
    m_plan.strategy = own;
    return result;
}

PieceSeconds SequenceBounds::ofPieces(int leastRanks)
{
    // Schedules that run weight gradients apart wait longer for what is offloaded.
    const Schedule own = std::exchange(m_plan.strategy.schedule, Schedule::OneFOneB);
    const LoweredWork& work = m_works.computed(m_plan);
    const PieceSeconds result = pieces(microBatchCost(anywhere(leastRanks), work.work, work.compute));
    m_plan.strategy.schedule = own;
    return result;
}

} // namespace stratoplan
