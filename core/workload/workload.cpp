// SPDX-License-Identifier: Apache-2.0
#include "core/workload/workload.h"

#include "core/parallel/route.h"
#include "core/workload/layer.h"

#include <algorithm>

namespace stratoplan::workload {
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

/// What the ranks of one pipeline tell each other where they share the vocabulary: the last stage its hidden state,
/// each what it found of the softmax, and its part of the hidden state's gradient; then the same for the embedding the
/// other way round. The sizes are those of the released implementation of 2411.05288, which sends the hidden state in
/// FP32 unless it is interlaced.
void shareVocabulary(const plan::Plan& plan, const LayerShape& s, MicroBatchWork& w)
{
    using enum CollectiveKind;
    const bool interlaced = plan.strategy.vocabularyPlacement == parallel::VocabularyPlacement::Interlaced;
    const double hidden = s.tokens * plan.model.hidden / s.replicatedBy;
    w.headForward.collectives.push_back({"broadcast of the final hidden state", Broadcast, parallel::Axis::Pp,
        Bytes(hidden * (interlaced ? s.element : 4)), 1});
    w.headForward.collectives.push_back(
        {"softmax statistics of all stages", AllReduce, parallel::Axis::Pp, Bytes(s.tokens * 4), 3});
    w.headBackward.collectives.push_back(
        {"gradient of the final hidden state", AllReduce, parallel::Axis::Pp, Bytes(hidden * s.element), 1});
    w.embeddingForward.collectives.push_back(
        {"embedding of all stages", AllReduce, parallel::Axis::Pp, Bytes(hidden * s.element), 1});
    w.embeddingBackward.collectives.push_back(
        {"broadcast of the embedding's gradient", Broadcast, parallel::Axis::Pp, Bytes(hidden * s.element), 1});
    if (interlaced)
        return;
    // Every stage starts from the softmax over its own share, and corrects it when it knows the others'; with one
    // synchronisation it multiplies with the uncorrected one, which has to be narrowed for that.
    const double elements = logits(plan, w);
    w.headBackward.operators.push_back(traffic("softmax correction", elements * 8, true));
    if (plan.strategy.vocabularyPlacement == parallel::VocabularyPlacement::Vocab2)
        w.headForward.operators.push_back(traffic("uncorrected softmax", elements * (4 + s.element), false));
}

/// What the ranks of tensor parallelism send each other at both ends of the model.
void addEndCollectives(const plan::Plan& plan, const LayerShape& s, MicroBatchWork& w)
{
    if (plan.strategy.tp == 1)
        return;
    const Bytes hidden(s.tokens * plan.model.hidden * s.element);
    const auto reduction = plan.strategy.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce;
    w.embeddingForward.collectives.push_back({"embedding reduction", reduction, parallel::Axis::Tp, hidden, 1});
    w.headBackward.collectives.push_back(
        {"output projection input gradient", reduction, parallel::Axis::Tp, hidden, 1});
    if (plan.strategy.sequenceParallel) {
        w.headForward.collectives.push_back(
            {"all-gather of the final hidden state", CollectiveKind::AllGather, parallel::Axis::Tp, hidden, 1});
        w.embeddingBackward.collectives.push_back(
            {"embedding gradient gather", CollectiveKind::AllGather, parallel::Axis::Tp, hidden, 1});
    }
    // Vocabulary-parallel cross-entropy: maximum, predicted logit and sum of exponentials, FP32 per token.
    w.headForward.collectives.push_back(
        {"vocabulary-parallel loss", CollectiveKind::AllReduce, parallel::Axis::Tp, Bytes(s.tokens * 4), 3});
}

/// Embedding on the first stage, output projection and loss on the last, or a share of each on every stage.
void lowerEnds(const plan::Plan& plan, const LayerShape& s, MicroBatchWork& w)
{
    const plan::SoftwareProfile& software = plan.training.software;
    const int stages = vocabularyStages(plan.strategy);
    const double vocabulary =
        double(paddedVocabulary(plan.model.vocabulary, plan.strategy.tp, stages)) / (s.t * stages);
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
    const double elements = logits(plan, w);
    w.headForward.operators.push_back(traffic("cross-entropy", elements * software.lossBytesForward, false));
    w.headBackward.operators.push_back(traffic("cross-entropy gradient", elements * software.lossBytesBackward, true));
    w.embeddingForward.operators.push_back(traffic("embedding", s.tokens * h * 2 * s.element / s.replicatedBy, false));
    // Scatter-add of FP32 gradients per token, and one pass over the table's gradient.
    w.embeddingBackward.operators.push_back(
        traffic("embedding gradient", s.tokens * h * 10 / s.replicatedBy + vocabulary * h * 4, true));
    if (stages > 1)
        shareVocabulary(plan, s, w);
    addEndCollectives(plan, s, w);
}

/// What a module of multi-token prediction does before its layer: it norms the hidden state and the embedding of the
/// next token, joins them and projects them back to the hidden size (DeepSeek-V3, arXiv 2412.19437, section 2.2).
void lowerMerge(const plan::Plan& plan, const LayerShape& s, MicroBatchWork& w)
{
    const double h = plan.model.hidden;
    Operator merge;
    merge.name = "prediction merge";
    merge.kind = OperatorKind::Matmul;
    merge.m = s.tokens;
    merge.n = h / s.t;
    merge.k = 2 * h;
    merge.flops = Flops(2 * merge.m * merge.n * merge.k);
    merge.narrow = true;
    // Each norm reads and writes the hidden state; the joint one is written once more.
    const double stream = s.tokens * h * s.element / s.replicatedBy;
    w.mergeForward.operators = {traffic("prediction norms", 6 * stream, false), merge};
    addMatmulBackward(w.mergeBackward, merge);
    w.mergeBackward.operators.push_back(traffic("prediction norm gradients", 8 * stream, true));
    if (plan.strategy.tp == 1)
        return;
    // The columns of every rank make one hidden state; their gradients are summed.
    const Bytes hidden(s.tokens * h * s.element);
    w.mergeForward.collectives.push_back(
        {"gather of merged states", CollectiveKind::AllGather, parallel::Axis::Tp, hidden, 1});
    const auto reduction = plan.strategy.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce;
    w.mergeBackward.collectives.push_back(
        {"reduction of merge gradients", reduction, parallel::Axis::Tp, 2 * hidden, 1});
}

/// Parameters of one rank that the prediction modules of a stage add to their layers: projections, norms, and the table
/// where the stage lacks it.
double predictionParameters(const plan::Plan& plan, StageLayout& stage, double table)
{
    if (stage.predictionModules == 0)
        return 0;
    const double h = plan.model.hidden;
    if (!stage.embedding && vocabularyStages(plan.strategy) == 1 && !plan.model.tiedEmbeddings)
        stage.embeddingParameters = table;
    return stage.predictionModules
        * (2 * h * h / plan.strategy.tp + 3 * h * (plan.model.norm == model::Norm::Layer ? 2 : 1));
}

/// Every product of a forward pass is with a matrix of weights, or with one of each expert.
Orthogonalisation orthogonalisationOf(const Pass& forward)
{
    Orthogonalisation sum;
    for (const Operator& op : forward.operators) {
        const bool experts = op.kind == OperatorKind::GroupedMatmul;
        if (!experts && op.kind != OperatorKind::Matmul)
            continue;
        const Flops each = plan::orthogonalisation(op.n, op.k);
        (experts ? sum.experts : sum.shared) += each * (op.batch * op.share);
        sum.largest = std::max(sum.largest, each);
    }
    return sum;
}

} // namespace

int paddedVocabulary(int vocabulary, int tp, int stages)
{
    const int multiple = (stages > 1 ? 2 * stages : 128) * std::max(tp, 1);
    return (vocabulary + multiple - 1) / multiple * multiple;
}

double logits(const plan::Plan& plan, const MicroBatchWork& work)
{
    const int tp = plan.strategy.tp, stages = vocabularyStages(plan.strategy);
    return work.tokens * (paddedVocabulary(plan.model.vocabulary, tp, stages) / (double(tp) * stages));
}

int lookUps(const plan::Plan& plan, const StageLayout& stage)
{
    if (vocabularyStages(plan.strategy) > 1)
        return stage.vocabularyShare ? 1 + plan.model.multiTokenPredictionDepth : 0;
    return stage.predictionModules + (stage.embedding ? 1 : 0);
}

int predictions(const plan::Plan& plan, const StageLayout& stage)
{
    if (vocabularyStages(plan.strategy) > 1)
        return lookUps(plan, stage);
    return stage.head ? 1 + stage.predictionModules : 0;
}

void Orthogonalisation::add(const Orthogonalisation& other, int times)
{
    if (times <= 0)
        return;
    shared += other.shared * times;
    experts += other.experts * times;
    largest = std::max(largest, other.largest);
}

MicroBatchWork lowerMicroBatch(const plan::Plan& plan)
{
    MicroBatchWork w;
    const LayerShape shape = layerShape(plan);
    w.tokens = shape.tokens;
    const model::LayerCounts counts = layerCounts(plan.model);
    const bool predicts = plan.model.multiTokenPredictionDepth > 0;
    if (counts.dense > 0 || (predicts && !plan.model.moe))
        w.dense = lowerLayer(shape, false);
    if (counts.moe > 0 || (predicts && plan.model.moe))
        w.moe = lowerLayer(shape, true);
    lowerEnds(plan, shape, w);
    if (predicts)
        lowerMerge(plan, shape, w);
    if (plan.training.optimizer == plan::Optimizer::Muon) {
        w.dense.orthogonalisation = orthogonalisationOf(w.dense.forward);
        w.moe.orthogonalisation = orthogonalisationOf(w.moe.forward);
        w.mergeOrthogonalisation = orthogonalisationOf(w.mergeForward);
    }
    w.boundary = Bytes(shape.tokens * plan.model.hidden * shape.element);
    return w;
}

StageLayout& StageLayout::operator+=(const StageLayout& chunk)
{
    denseLayers += chunk.denseLayers;
    moeLayers += chunk.moeLayers;
    if (chunk.recomputed && !recomputed)
        recomputed.emplace();
    for (std::size_t kind = 0; chunk.recomputed && kind < parallel::kRecomputeKinds; ++kind) {
        recomputed->dense[kind] += chunk.recomputed->dense[kind];
        recomputed->moe[kind] += chunk.recomputed->moe[kind];
    }
    predictionModules += chunk.predictionModules;
    embedding = embedding || chunk.embedding;
    head = head || chunk.head;
    vocabularyShare = vocabularyShare || chunk.vocabularyShare;
    return *this;
}

// In one piece: one walk along the route, which counts the layers that it has placed.
std::vector<std::vector<StageLayout>> placeChunks(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const int ownChunks = shape(s.schedule) == parallel::PipelineShape::Loop ? s.vpp : 2;
    const parallel::Route route(shape(s.schedule), s.pp, ownChunks);
    std::vector<std::vector<int>> layers;
    std::vector<std::vector<StageLayout>> chunks;
    const std::vector<int> perStage = stageLayers(s, plan.model.layers);
    for (int stage = 0; stage < s.pp; ++stage) {
        layers.push_back(chunkLayers(s, perStage, stage));
        chunks.emplace_back(static_cast<std::size_t>(ownChunks));
    }
    const std::vector<parallel::Recompute> kinds =
        mixesRecompute(s) ? layerRecompute(plan) : std::vector<parallel::Recompute>();
    for (int way = 0; way < (route.isTwoWay() ? 2 : 1); ++way) {
        int layer = 0;
        const auto place = [&](StageLayout& chunk, int count) {
            if (!kinds.empty() && !chunk.recomputed)
                chunk.recomputed.emplace();
            for (; count > 0; --count, ++layer) {
                const bool moe = isMoeLayer(plan.model, layer);
                ++(moe ? chunk.moeLayers : chunk.denseLayers);
                if (chunk.recomputed)
                    ++(moe ? chunk.recomputed->moe : chunk.recomputed->dense)[std::size_t(kinds[std::size_t(layer)])];
            }
        };
        StageLayout* last = nullptr;
        for (int passed = 0; passed < route.length(); ++passed) {
            const auto [stage, chunk] = route.at(passed, way);
            last = &chunks[std::size_t(stage)][std::size_t(chunk)];
            last->embedding = passed == 0;
            place(*last, layers[std::size_t(stage)][std::size_t(chunk)]);
        }
        last->head = true;
        last->tableHere = route.at(route.length() - 1, way).stage == route.at(0, way).stage;
        last->predictionModules = plan.model.multiTokenPredictionDepth;
        place(*last, plan.model.multiTokenPredictionDepth);
    }
    // A stage works with its share of the vocabulary once for each micro-batch, beside its last chunk.
    for (std::vector<StageLayout>& stageChunks : chunks)
        stageChunks.back().vocabularyShare = vocabularyStages(s) > 1;
    return chunks;
}

int layersWith(const parallel::Strategy& strategy, const StageLayout& stage, bool moe, parallel::Recompute recompute)
{
    if (stage.recomputed)
        return (moe ? stage.recomputed->moe : stage.recomputed->dense)[std::size_t(recompute)];
    return strategy.recompute != recompute ? 0 : moe ? stage.moeLayers : stage.denseLayers;
}

std::vector<parallel::Recompute> layerRecompute(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    const auto layers = std::size_t(plan.model.layers) + std::size_t(plan.model.multiTokenPredictionDepth);
    if (!mixesRecompute(s))
        return std::vector<parallel::Recompute>(layers, s.recompute);
    const parallel::Route route(
        shape(s.schedule), s.pp, shape(s.schedule) == parallel::PipelineShape::Loop ? s.vpp : 2);
    std::vector<std::vector<int>> held;
    std::vector<std::vector<parallel::StageRecompute>> recomputed;
    const std::vector<int> perStage = stageLayers(s, plan.model.layers);
    for (int stage = 0; stage < s.pp; ++stage) {
        held.push_back(chunkLayers(s, perStage, stage));
        recomputed.push_back(chunkRecompute(s, stage, held.back()));
    }
    std::vector<parallel::Recompute> kinds;
    kinds.reserve(layers);
    for (int passed = 0; passed < route.length(); ++passed) {
        const auto [stage, chunk] = route.at(passed);
        const parallel::StageRecompute& recompute = recomputed[std::size_t(stage)][std::size_t(chunk)];
        for (int layer = 0; layer < held[std::size_t(stage)][std::size_t(chunk)]; ++layer)
            kinds.push_back(layer < recompute.full ? parallel::Recompute::Full : recompute.others);
        // Prediction modules follow the last layer. Recomputation of the first so many layers leaves them out, as it
        // does in Megatron-LM.
        if (passed + 1 == route.length())
            kinds.resize(layers, recompute.others);
    }
    return kinds;
}

namespace {

std::vector<StageLayout> joined(const std::vector<std::vector<StageLayout>>& chunks)
{
    std::vector<StageLayout> stages;
    stages.reserve(chunks.size());
    for (const std::vector<StageLayout>& stageChunks : chunks) {
        StageLayout& stage = stages.emplace_back();
        for (const StageLayout& chunk : stageChunks)
            stage += chunk;
    }
    return stages;
}

} // namespace

std::vector<StageLayout> placeStages(const plan::Plan& plan)
{
    return joined(placeChunks(plan));
}

void countParameters(const plan::Plan& plan, const MicroBatchWork& w, StageLayout& stage)
{
    const parallel::Strategy& strategy = plan.strategy;
    const int shared = vocabularyStages(strategy);
    const double table = double(paddedVocabulary(plan.model.vocabulary, strategy.tp, shared)) * plan.model.hidden
        / (double(strategy.tp) * shared);
    stage.parameters = stage.denseLayers * w.dense.parameters + stage.moeLayers * w.moe.parameters;
    stage.expertParameters = stage.moeLayers * w.moe.expertParameters;
    const bool divided = shared > 1;
    stage.embeddingParameters = (divided ? stage.vocabularyShare : stage.embedding) ? table : 0;
    if (stage.embedding && plan.model.position == model::Position::Learned)
        stage.embeddingParameters += double(plan.model.maxPositions) * plan.model.hidden;
    stage.headParameters = stage.head ? plan.model.hidden * (plan.model.norm == model::Norm::Layer ? 2.0 : 1.0) : 0;
    // A tied table is stored once where both ends share a stage, or every stage a share; else it is copied to the last
    // stage.
    const bool once = plan.model.tiedEmbeddings && (divided || stage.embedding || stage.tableHere);
    if ((divided ? stage.vocabularyShare : stage.head) && !once)
        stage.headParameters += table;
    stage.parameters += predictionParameters(plan, stage, table);
    stage.parameters += stage.tables();
    stage.orthogonalisation = {};
    stage.orthogonalisation.add(w.dense.orthogonalisation, stage.denseLayers);
    stage.orthogonalisation.add(w.moe.orthogonalisation, stage.moeLayers);
    stage.orthogonalisation.add(w.mergeOrthogonalisation, stage.predictionModules);
}

Workload lower(const plan::Plan& plan)
{
    Workload w{lowerMicroBatch(plan), microBatches(plan), {}, placeChunks(plan)};
    w.stages = joined(w.chunks);
    for (StageLayout& layout : w.stages)
        countParameters(plan, w, layout);
    return w;
}

} // namespace stratoplan::workload
