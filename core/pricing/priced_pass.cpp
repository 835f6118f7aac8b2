// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/priced_pass.h"

#include "core/cost/host_memory.h"
#include "core/pricing/pricing_context.h"

#include <cassert>
#include <utility>

namespace stratoplan::pricing {

PricedPass::PricedPass(PricedDivision division, const parallel::GroupSpans& groups)
    : m_division(std::move(division))
    , m_deployment(m_division.plan(), m_division.context().machine(), groups)
{
}

const MicroBatchCost& PricedPass::cost() const
{
    const PricedDivision joined = m_division.joined();
    return joined.context()
        .microBatch({joined.plan(), joined.context().machine(), m_deployment.groups}, joined.settled())
        .cost;
}

PieceSeconds PricedPass::pieces() const
{
    return pricing::pieces(cost());
}

Seconds PricedPass::microBatchStep(bool paired) const
{
    const MicroBatchCost& c = cost();
    const PricingContext& context = m_division.context();
    const parallel::Strategy& s = m_division.strategy();
    const auto layer = [](const LayerCost& ofLayer) {
        return ofLayer.forward.total() + ofLayer.backward.total() + ofLayer.recompute.total();
    };
    const double modules = m_division.plan().model.multiTokenPredictionDepth;
    const Seconds whole = layer(c.dense) * context.m_layers.dense + layer(c.moe) * context.m_layers.moe
        + (c.embeddingForward.total() + c.embeddingBackward.total() + c.headForward.total() + c.headBackward.total())
            * ((1 + modules) * vocabularyStages(s))
        + (c.mergeForward.total() + c.mergeBackward.total()) * modules;
    const Seconds hidden = paired
        ? (c.moe.forward.pairable + c.moe.backward.pairable + c.moe.recompute.pairable) * context.m_layers.moe
        : Seconds{};
    return m_division.stepOfSequences((whole - hidden) / s.microBatch);
}

/// `end`: of the step on a kind of stage.
template <class End>
std::shared_ptr<pipeline::PipelineWork> PricedPass::work(const std::vector<ChunkShares>* stages, End end) const
{
    PricingContext& context = m_division.context();
    const plan::Plan& plan = m_division.plan();
    const parallel::Strategy& s = plan.strategy;
    const auto [cost, split, priced] = context.stages(m_deployment, m_division.settled(), stages);
    const double stretch = m_division.stretch();
    std::shared_ptr<pipeline::PipelineWork> work = context.m_pipelines.take([] { return pipeline::PipelineWork(); });
    work->schedule = s.schedule;
    work->microBatches = m_division.microBatches();
    work->chunks = s.vpp;
    work->limit = s.inFlightLimit;
    work->timing = communicationTiming(plan, m_deployment.groups[parallel::RankGroup::Pipeline]);
    placeVocabulary(s, cost, stretch, *work);
    work->stages.clear();
    for (const std::uint16_t number : split.kindOf) {
        const auto first = std::size_t(split.kinds[number].stage);
        const PricedKinds::Kind& kind = priced.kinds[number];
        work->stages.push_back(
            first < work->stages.size() ? work->stages[first] : stageWork(kind.passes, end(kind), stretch));
    }
    work->chunkWork.clear();
    for (const pipeline::ChunkWork& chunk : priced.chunks)
        work->chunkWork.push_back(chunk * stretch);
    work->chunkOf = split.chunkOf;
    return work;
}

PricedPipeline PricedPass::pipeline() const
{
    const auto end = [this](const PricedKinds::Kind& kind) {
        return endOfStep(m_deployment, kind.layout, kind.passes, m_division.microBatches());
    };
    return {work(nullptr, end), m_division.context().m_programs};
}

/// What a division takes longer it hides at most once more, in the pass that has it.
PricedPipeline PricedPass::lightest() const
{
    const auto end = [this](const PricedKinds::Kind& kind) {
        StagePasses passes;
        passes.forward.compute = passes.backward.compute = window(kind.passes);
        return endOfStep(m_deployment, kind.layout, passes, m_division.microBatches());
    };
    return {work(nullptr, end), m_division.context().m_programs};
}

PricedPipeline PricedPass::unsharded(const std::vector<ChunkShares>* stages) const
{
    assert(m_division.strategy().zeroStage == 0);
    const auto end = [this](const PricedKinds::Kind& kind) {
        const cost::UpdatedShare local =
            cost::updatedShare(kind.layout, m_deployment.groups[parallel::RankGroup::DataContext].size,
                m_deployment.groups[parallel::RankGroup::ExpertData].size);
        EndOfStep least;
        const plan::Plan& plan = m_division.plan();
        // Some sharding may have sent the gradients to the host before.
        least.optimizer = optimizerSeconds(
            plan, m_division.context().machine(), local, plan.training.software.offloadStreamsGradients);
        return least;
    };
    std::shared_ptr<pipeline::PipelineWork> open = work(stages, end);
    open->limit = 0; // how the states are sharded decides it
    return {std::move(open), m_division.context().m_programs};
}

PricedPipeline PricedPass::unsharded() const
{
    return unsharded(nullptr);
}

PricedPipeline PricedPass::unsharded(const std::vector<ChunkShares>& stages) const
{
    return unsharded(&stages);
}

} // namespace stratoplan::pricing
