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

/// Two gathered units and one unreduced gradient of FSDP: layers, or the tables at the ends.
Bytes gatherBuffers(const Plan& plan, const Workload& w, const StageLayout& stage)
{
    if (plan.strategy.zeroStage < 3)
        return {};
    double largest = std::max(stage.embeddingParameters, stage.headParameters);
    if (stage.denseLayers > 0)
        largest = std::max(largest, w.dense.parameters);
    if (stage.moeLayers > 0)
        largest = std::max(largest, w.moe.parameters + w.moe.expertParameters);
    const double element = storageBytes(plan.training.precision);
    return Bytes(largest * (2 * element + (plan.training.fp32Gradients ? 4 : element)));
}

/// Parameters of the largest matrix on one rank: the FFN's column product, or the output projection.
double largestProduct(const Plan& plan, const StageLayout& stage)
{
    const Transformer& model = plan.model;
    const double ffn = stage.denseLayers > 0 ? double(model.ffnHidden) * (model.gatedMlp ? 2 : 1) * model.hidden / plan.strategy.tp : 0;
    return std::max(ffn, stage.head ? double(model.vocabulary) * model.hidden / plan.strategy.tp : 0);
}

} // namespace

StateBytes stateBytes(int zeroStage, int shards, bool fp32Gradients, bool fp32Training, double optimizerBytes)
{
    const double n = std::max(shards, 1);
    StateBytes bytes{fp32Training ? 4.0 : 2.0, fp32Gradients || fp32Training ? 4.0 : 2.0, std::max(0.0, optimizerBytes - (fp32Training ? 4 : 0))};
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
    const SoftwareProfile& software = plan.training.software;
    const auto states = [&](bool experts) {
        return stateBytes(strategy.zeroStage, shardRanks(strategy, experts), plan.training.fp32Gradients,
                          storageBytes(plan.training.precision) == 4, software.optimizerStateBytes);
    };
    const StateBytes dense = states(false);
    const StateBytes experts = states(true);
    StageBytes m;
    m.weights = Bytes(stage.parameters * dense.weights + stage.expertParameters * experts.weights);
    m.gradients = Bytes(stage.parameters * dense.gradients + stage.expertParameters * experts.gradients);
    m.optimizer = Bytes(stage.parameters * dense.optimizer + stage.expertParameters * experts.optimizer);
    m.activations = activationBytes(plan, w, index);
    m.buffers = workingSet(plan, w, stage) + gatherBuffers(plan, w, stage) + Bytes(largestProduct(plan, stage) * software.gradientCopyBytes);
    if (stage.head)
        m.buffers += Bytes(w.logits * software.logitBytes);
    if (strategy.pp > 1)
        m.buffers += 2 * w.boundary * (strategy.sequenceParallel ? 1.0 / strategy.tp : 1.0);
    m.reserve = software.reserve;
    return m;
}

} // namespace stratoplan
