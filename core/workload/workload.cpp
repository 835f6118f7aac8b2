// SPDX-License-Identifier: Apache-2.0
#include "core/workload/workload.h"

#include "core/workload/layer.h"

#include <algorithm>

namespace stratoplan {
namespace {

Operator traffic(std::string_view name, double bytes, bool backward)
{
    Operator op;
    op.name = name;
    op.kind = OperatorKind::Streaming;
    op.traffic = Bytes(bytes);
    op.backward = backward;
    return op;
}

/// Embedding on the first stage, output projection and loss on the last.
void lowerEnds(const Plan& plan, const LayerShape& s, Workload& w)
{
    const SoftwareProfile& software = plan.training.software;
    const double vocabulary = double(paddedVocabulary(plan.model.vocabulary, plan.strategy.tp)) / s.t;
    const double h = plan.model.hidden;
    Operator head;
    head.name = "output projection";
    head.kind = OperatorKind::Matmul;
    head.m = s.tokens;
    head.n = vocabulary;
    head.k = h;
    head.flops = Flops(2 * s.tokens * vocabulary * h);
    w.headForward.operators.push_back(head);
    addMatmulBackward(w.headBackward, head);
    w.logits = s.tokens * vocabulary;
    w.headForward.operators.push_back(traffic("cross-entropy", w.logits * software.lossBytesForward, false));
    w.headBackward.operators.push_back(traffic("cross-entropy gradient", w.logits * software.lossBytesBackward, true));
    w.embeddingForward.operators.push_back(traffic("embedding", s.tokens * h * 2 * s.element / s.replicatedBy, false));
    // Scatter-add of FP32 gradients per token, and one pass over the table's gradient.
    w.embeddingBackward.operators.push_back(
        traffic("embedding gradient", s.tokens * h * 10 / s.replicatedBy + vocabulary * h * 4, true));
    if (plan.strategy.tp == 1)
        return;
    const Bytes hidden(s.tokens * h * s.element);
    const auto reduction = plan.strategy.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce;
    w.embeddingForward.collectives.push_back({"embedding reduction", reduction, Axis::Tp, hidden, 1});
    w.headBackward.collectives.push_back({"output projection input gradient", reduction, Axis::Tp, hidden, 1});
    if (plan.strategy.sequenceParallel) {
        w.headForward.collectives.push_back({"all-gather of the final hidden state", CollectiveKind::AllGather, Axis::Tp, hidden, 1});
        w.embeddingBackward.collectives.push_back({"embedding gradient gather", CollectiveKind::AllGather, Axis::Tp, hidden, 1});
    }
    // Vocabulary-parallel cross-entropy: maximum, predicted logit and sum of exponentials, FP32 per token.
    w.headForward.collectives.push_back({"vocabulary-parallel loss", CollectiveKind::AllReduce, Axis::Tp, Bytes(s.tokens * 4), 3});
}

/// Counts each stage's dense and MoE layers. Interleaving gives stage i the chunks i, i + p, i + 2p, …
void placeLayers(const Plan& plan, std::vector<StageLayout>& stages)
{
    std::vector<std::vector<int>> chunks;
    chunks.reserve(stages.size());
    for (std::size_t stage = 0; stage < stages.size(); ++stage)
        chunks.push_back(chunkLayers(plan.strategy, plan.model.layers, int(stage)));
    int layer = 0;
    for (int chunk = 0; chunk < plan.strategy.vpp; ++chunk)
        for (std::size_t stage = 0; stage < stages.size(); ++stage)
            for (int i = 0; i < chunks[stage][chunk]; ++i, ++layer)
                ++(isMoeLayer(plan.model, layer) ? stages[stage].moeLayers : stages[stage].denseLayers);
}

void lowerStages(const Plan& plan, Workload& w)
{
    const Strategy& strategy = plan.strategy;
    w.stages.resize(strategy.pp);
    placeLayers(plan, w.stages);
    w.stages.front().embedding = true;
    w.stages.back().head = true;
    const double table = double(paddedVocabulary(plan.model.vocabulary, strategy.tp)) * plan.model.hidden / strategy.tp;
    const double positions = plan.model.position == Position::Learned ? double(plan.model.maxPositions) * plan.model.hidden : 0;
    for (StageLayout& stage : w.stages) {
        stage.parameters = stage.denseLayers * w.dense.parameters + stage.moeLayers * w.moe.parameters;
        stage.expertParameters = stage.moeLayers * w.moe.expertParameters;
        if (stage.embedding)
            stage.embeddingParameters = table + positions;
        if (stage.head)
            stage.headParameters = plan.model.hidden * (plan.model.norm == Norm::Layer ? 2.0 : 1.0);
        // A tied table is stored once where both ends share a stage, else copied to the last stage.
        if (stage.head && (!plan.model.tiedEmbeddings || strategy.pp > 1))
            stage.headParameters += table;
        stage.parameters += stage.embeddingParameters + stage.headParameters;
    }
}

} // namespace

int paddedVocabulary(int vocabulary, int tp)
{
    const int multiple = 128 * std::max(tp, 1);
    return (vocabulary + multiple - 1) / multiple * multiple;
}

Workload lower(const Plan& plan)
{
    Workload w;
    const LayerShape shape = layerShape(plan);
    w.tokens = shape.tokens;
    w.microBatches = microBatches(plan);
    const LayerCounts counts = layerCounts(plan.model);
    if (counts.dense > 0)
        w.dense = lowerLayer(shape, false);
    if (counts.moe > 0)
        w.moe = lowerLayer(shape, true);
    lowerEnds(plan, shape, w);
    lowerStages(plan, w);
    w.boundary = Bytes(shape.tokens * plan.model.hidden * shape.element);
    return w;
}

Bytes keptActivations(const LayerActivations& a, Recompute recompute)
{
    switch (recompute) {
    case Recompute::None:
        return a.all();
    case Recompute::Selective:
        return a.selective;
    case Recompute::Full:
        return a.input;
    }
    return a.all();
}

} // namespace stratoplan
