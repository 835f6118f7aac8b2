// SPDX-License-Identifier: Apache-2.0
#include "core/cost/memory.h"

#include "core/cost/communication.h"
#include "core/pipeline/pipeline.h"

#include <algorithm>

namespace stratoplan {
namespace {

Bytes activationBytes(const Plan& plan, const Workload& w, int index)
{
    const StageLayout& stage = w.stages[index];
    const Recompute recompute = plan.strategy.recompute;
    const double flight = inFlight(plan.strategy.schedule, plan.strategy.pp, plan.strategy.vpp, w.microBatches, index);
    Bytes perMicroBatch = stage.denseLayers * keptActivations(w.dense.activations, recompute)
        + stage.moeLayers * keptActivations(w.moe.activations, recompute);
    if (stage.embedding && plan.model.dropout) // mask of the embedding dropout, one byte
        perMicroBatch += Bytes(w.tokens * plan.model.hidden / (plan.strategy.sequenceParallel ? plan.strategy.tp : 1));
    return perMicroBatch * flight;
}

/// What one layer needs beyond its kept activations while it is recomputed or differentiated.
Bytes workingSet(const Plan& plan, const Workload& w, const StageLayout& stage)
{
    const auto extra = [&](const LayerActivations& a) { return a.all() - keptActivations(a, plan.strategy.recompute); };
    Bytes largest{};
    if (stage.denseLayers > 0)
        largest = std::max(largest, extra(w.dense.activations));
    if (stage.moeLayers > 0)
        largest = std::max(largest, extra(w.moe.activations));
    return largest * plan.training.software.transientLayers;
}

/// Two gathered layers and one unreduced gradient of FSDP.
Bytes gatherBuffers(const Plan& plan, const Workload& w, const StageLayout& stage)
{
    if (plan.strategy.zeroStage < 3)
        return {};
    double largest = 0;
    if (stage.denseLayers > 0)
        largest = std::max(largest, w.dense.parameters);
    if (stage.moeLayers > 0)
        largest = std::max(largest, w.moe.parameters + w.moe.expertParameters);
    return Bytes(largest * (2 * 2 + (plan.training.fp32Gradients ? 4 : 2)));
}

} // namespace

StateBytes stateBytes(int zeroStage, int shards, bool fp32Gradients, bool fp32Training)
{
    const double n = std::max(shards, 1);
    StateBytes bytes{fp32Training ? 4.0 : 2.0, fp32Gradients || fp32Training ? 4.0 : 2.0, fp32Training ? 8.0 : 12.0};
    if (zeroStage >= 1)
        bytes.optimizer /= n;
    if (zeroStage >= 2)
        bytes.gradients /= n;
    if (zeroStage >= 3)
        bytes.weights /= n;
    return bytes;
}

StageBytes stageBytes(const Plan& plan, const Workload& w, int index)
{
    const StageLayout& stage = w.stages[index];
    const Strategy& strategy = plan.strategy;
    const bool fp32 = plan.training.precision == Precision::Fp32 || plan.training.precision == Precision::Tf32;
    const StateBytes dense = stateBytes(strategy.zeroStage, replicas(strategy, false), plan.training.fp32Gradients, fp32);
    const StateBytes experts = stateBytes(strategy.zeroStage, replicas(strategy, true), plan.training.fp32Gradients, fp32);
    StageBytes m;
    m.weights = Bytes(stage.parameters * dense.weights + stage.expertParameters * experts.weights);
    m.gradients = Bytes(stage.parameters * dense.gradients + stage.expertParameters * experts.gradients);
    m.optimizer = Bytes(stage.parameters * dense.optimizer + stage.expertParameters * experts.optimizer);
    m.activations = activationBytes(plan, w, index);
    m.buffers = workingSet(plan, w, stage) + gatherBuffers(plan, w, stage);
    if (stage.head)
        m.buffers += Bytes(w.logits * plan.training.software.logitBytes);
    if (strategy.pp > 1)
        m.buffers += 2 * w.boundary * (strategy.sequenceParallel ? 1.0 / strategy.tp : 1.0);
    m.reserve = plan.training.software.reserve;
    return m;
}

} // namespace stratoplan
