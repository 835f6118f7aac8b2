// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/priced_division.h"

#include "core/partition/context_exchange.h"
#include "core/pricing/pricing_context.h"
#include "core/workload/layer.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::pricing {
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

/// Pieces of a sequence that no division of the experts changes.
PieceSeconds undividedPieces(const LoweredWork& work, const MicroBatchCost& cost)
{
    const MicroBatchCompute& c = work.compute;
    return {c.denseForward.total + c.denseBackward.total + traffic(cost.dense.forward, cost.dense.backward),
        work.besideForward + work.besideBackward + work.expertsAtPeak + traffic(cost.moe.forward, cost.moe.backward),
        c.embeddingForward.total + c.embeddingBackward.total + traffic(cost.embeddingForward, cost.embeddingBackward),
        c.headForward.total + c.headBackward.total + traffic(cost.headForward, cost.headBackward),
        c.mergeForward.total + c.mergeBackward.total + traffic(cost.mergeForward, cost.mergeBackward)};
}

} // namespace

PieceSeconds pieces(const MicroBatchCost& cost)
{
    return {total(cost.dense), total(cost.moe), cost.embeddingForward.total() + cost.embeddingBackward.total(),
        cost.headForward.total() + cost.headBackward.total(), cost.mergeForward.total() + cost.mergeBackward.total(),
        pairable(cost.moe)};
}

template <class Change>
PricedDivision PricedDivision::with(Change change) const
{
    return {*m_context, m_context->settle(strategy(), change)};
}

PricedDivision PricedDivision::bare() const
{
    return with([](parallel::Strategy& s) {
        s.recompute = parallel::Recompute::None;
        s.vocabularyPlacement = parallel::VocabularyPlacement::Ends;
        s.offload = parallel::Offload::None;
    });
}

PricedDivision PricedDivision::undivided() const
{
    return bare().with([](parallel::Strategy& s) { s.ep = s.etp = 1; });
}

PricedDivision PricedDivision::joined() const
{
    if (!pipeline::splitsBackward(strategy().schedule) || strategy().offload != parallel::Offload::Activations)
        return *this;
    return with([](parallel::Strategy& s) { s.schedule = parallel::Schedule::OneFOneB; });
}

cost::Deployment PricedDivision::anywhere(int leastRanks) const
{
    cost::Deployment deployment(plan(), m_context->machine(), parallel::GroupSpans());
    deployment.anywhere = &m_context->m_leastTimes;
    deployment.leastRanks = leastRanks;
    return deployment;
}

StrategyPeak PricedDivision::peak() const
{
    const workload::MicroBatchWork& work = m_context->m_works.lowered(WorkDegrees(settled()).withEnds());
    return m_context->m_peaks.peak(settled(), work);
}

SequenceBytes PricedDivision::sequenceBytes() const
{
    return pricing::sequenceBytes(plan(), m_context->m_works);
}

LayerStates PricedDivision::layerStates() const
{
    return pricing::layerStates(plan(), m_context->m_works);
}

Seconds PricedDivision::stepOfSequences(Seconds each) const
{
    const double ofReplica = double(plan().training.globalBatch) / strategy().dp;
    return (each * (ofReplica / strategy().pp) + plan().training.software.optimizerFixed) * stretch();
}

Seconds PricedDivision::stepOfStage(Seconds microBatch) const
{
    return (microBatch * microBatches() + plan().training.software.optimizerFixed) * stretch();
}

Seconds PricedDivision::sequenceSeconds(int leastRanks, bool anyVocabulary) const
{
    const model::Transformer& model = plan().model;
    Seconds least(INFINITY);
    for (const bool sequenceParallel : {false, true}) {
        if (sequenceParallel && strategy().tp == 1)
            break;
        const PricedDivision whole =
            undivided().with([&](parallel::Strategy& s) { s.sequenceParallel = sequenceParallel; });
        const LoweredWork& work = m_context->m_works.computed(WorkDegrees(whole.settled()));
        PieceSeconds pieces =
            undividedPieces(work, microBatchCost(whole.anywhere(leastRanks), work.work, work.compute));
        if (anyVocabulary) {
            pieces.embedding = {};
            pieces.head = work.headAtPeak
                * (double(model.vocabulary) / workload::paddedVocabulary(model.vocabulary, strategy().tp));
        }
        least = std::min(least, wholeModel(whole.plan()) * pieces / strategy().microBatch);
    }
    return least;
}

PieceSeconds PricedDivision::expertPieces(int leastRanks) const
{
    const PricingContext::Undivided& base = m_context->undivided(*this, leastRanks);
    if (!plan().model.moe)
        return base.pieces;
    const PricedDivision unrepeated = bare();
    const LoweredWork& whole = *base.lowered;
    const ExpertSeconds& ofExperts = m_context->products(whole, strategy());
    cost::ComputeSeconds forward = whole.compute.moeForward, backward = whole.compute.moeBackward;
    forward.total = whole.besideForward + ofExperts.forward;
    backward.total = whole.besideBackward + ofExperts.backward;
    workload::LayerWork moe = base.moe;
    moe.expertParameters /= double(strategy().ep) * strategy().etp;
    moe.forward.collectives.back().bytes = moe.backward.collectives.back().bytes =
        expertExchange(workload::layerShape(unrepeated.plan()));
    const LayerCost layer = layerCost(unrepeated.anywhere(leastRanks), moe, forward, backward);
    PieceSeconds result = base.pieces;
    result.moeLayer = total(layer);
    result.moePairable = pairable(layer);
    return result;
}

PieceSeconds PricedDivision::leastPieces(int leastRanks) const
{
    const PricedDivision asJoined = joined();
    const LoweredWork& work = m_context->m_works.computed(WorkDegrees(settled()));
    return pieces(microBatchCost(asJoined.anywhere(leastRanks), work.work, work.compute));
}

Seconds PricedDivision::dividedLayer(int leastRanks) const
{
    const PlanProgrammes::LeastLayer& least = m_context->m_programmes.leastCompute(plan());
    return least.compute.all + leastContextExchange(least.context, strategy().tp, least.compute, anywhere(leastRanks));
}

PieceSeconds PricedDivision::leastEnds(int leastRanks) const
{
    PieceSeconds least;
    for (const bool sequenceParallel : {false, true}) {
        const PieceSeconds ends =
            with([&](parallel::Strategy& s) { s.sequenceParallel = sequenceParallel; }).leastPieces(leastRanks);
        const auto lower = [&](Seconds PieceSeconds::*piece) {
            least.*piece = sequenceParallel ? std::min(least.*piece, ends.*piece) : ends.*piece;
        };
        for (Seconds PieceSeconds::*const piece : {&PieceSeconds::embedding, &PieceSeconds::head, &PieceSeconds::merge})
            lower(piece);
    }
    return least;
}

PieceSeconds PricedDivision::dividedPieces(int leastRanks) const
{
    PieceSeconds pieces = leastEnds(leastRanks);
    if (plan().model.moe)
        pieces.moeLayer = dividedLayer(leastRanks) + secondsOfExperts(plan(), m_context->machine());
    else
        pieces.denseLayer = dividedLayer(leastRanks);
    return pieces;
}

Seconds PricedDivision::dividedSequenceSeconds(int leastRanks, bool anyVocabulary) const
{
    const PricedDivision whole = undivided();
    PieceSeconds pieces = whole.leastEnds(leastRanks);
    const LoweredWork& work = m_context->m_works.computed(WorkDegrees(whole.settled()));
    if (plan().model.moe)
        pieces.moeLayer = whole.dividedLayer(leastRanks) + work.expertsAtPeak;
    else
        pieces.denseLayer = whole.dividedLayer(leastRanks);
    if (anyVocabulary) {
        pieces.embedding = {};
        pieces.head = work.headAtPeak
            * (double(plan().model.vocabulary) / workload::paddedVocabulary(plan().model.vocabulary, strategy().tp));
    }
    return wholeModel(plan()) * pieces / strategy().microBatch;
}

SequenceBytes PricedDivision::dividedSequenceBytes() const
{
    return pricing::dividedSequenceBytes(plan(), m_context->m_works);
}

LayerStates PricedDivision::dividedLayerStates() const
{
    return pricing::dividedLayerStates(plan(), m_context->m_works);
}

} // namespace stratoplan::pricing
