// SPDX-License-Identifier: Apache-2.0
#include "core/model/transformer.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::model {

namespace {

using Count = std::int64_t;

Count normSize(const Transformer& m)
{
    return m.norm == Norm::Layer ? 2 * Count{m.hidden} : Count{m.hidden};
}

Count ffnMatrices(const Transformer& m)
{
    return m.gatedMlp ? 3 : 2;
}

/// Elements of the weight matrices of latent attention (arXiv 2405.04434, section 2.1).
Count latentMatrices(const Transformer& m, const LatentAttention& a)
{
    const Count h = m.hidden;
    const Count heads = m.heads;
    const Count queryWidth = heads * (a.nopeHeadDim + a.ropeHeadDim);
    const Count query = a.queryRank > 0 ? a.queryRank * (h + queryWidth) : h * queryWidth;
    const Count keyValue = h * (a.kvRank + a.ropeHeadDim) + Count{a.kvRank} * heads * (a.nopeHeadDim + a.valueHeadDim);
    return query + keyValue + heads * a.valueHeadDim * h;
}

/// Elements of the weight matrices of the indexer of one layer: its queries come from the compressed ones of the
/// attention, its key and the weights of its heads from the hidden state.
Count indexerMatrices(const Transformer& m)
{
    if (!m.dsa)
        return 0;
    const Count heads = m.dsa->indexHeads;
    const Count queryInput = m.mla && m.mla->queryRank > 0 ? m.mla->queryRank : m.hidden;
    return queryInput * heads * m.dsa->indexHeadDim + m.hidden * (m.dsa->indexHeadDim + heads);
}

/// Biases and norms inside the attention block, and the norm before it.
Count attentionVectors(const Transformer& m)
{
    Count result = normSize(m);
    if (m.mla)
        return result + m.mla->queryRank + m.mla->kvRank;
    const Count qkv = (Count{m.heads} + 2 * Count{m.kvHeads}) * m.headDim;
    if (m.linearBias)
        result += qkv + m.hidden;
    else if (m.qkvBias)
        result += qkv;
    if (m.qkNorm)
        result += 2 * Count{m.headDim};
    return result;
}

Count ffnSize(const Transformer& m, Count width)
{
    const Count biases = m.linearBias ? (ffnMatrices(m) - 1) * width + m.hidden : 0;
    return ffnMatrices(m) * m.hidden * width + biases;
}

Count sharedWidth(const MixtureOfExperts& moe)
{
    return moe.sharedExpertFfn > 0 ? moe.sharedExpertFfn : moe.expertFfn;
}

Count ffnNorm(const Transformer& m)
{
    return m.parallelBlock ? 0 : normSize(m);
}

/// Forward FLOPs of one sequence through the FFN of a layer.
double ffnForward(const Transformer& m, bool moe, double tokens)
{
    const double perWidth = 2.0 * tokens * static_cast<double>(ffnMatrices(m)) * m.hidden;
    if (!moe)
        return perWidth * m.ffnHidden;
    const MixtureOfExperts& e = *m.moe;
    const double router = 2.0 * tokens * m.hidden * e.experts;
    return router
        + perWidth
        * (static_cast<double>(e.topK) * e.expertFfn
            + static_cast<double>(e.sharedExperts) * static_cast<double>(sharedWidth(e)));
}

/// FLOPs of one sequence through the indexer of a layer: its projections and its scores over the full square.
double indexerForward(const Transformer& m, double tokens)
{
    if (!m.dsa)
        return 0;
    const double width = double(m.dsa->indexHeads) * m.dsa->indexHeadDim;
    return 2.0 * tokens * (static_cast<double>(indexerMatrices(m)) + tokens * width);
}

/// The gradients of its weights, and of its queries and keys from the scores of the keys that it picked.
double indexerBackward(const Transformer& m, double tokens)
{
    if (!m.dsa)
        return 0;
    const double width = double(m.dsa->indexHeads) * m.dsa->indexHeadDim;
    const double span = std::min(tokens, double(m.dsa->topK));
    return 2.0 * tokens * (static_cast<double>(indexerMatrices(m)) + 2 * span * width);
}

/// Elements of the projections of a Mamba-2 mixer: to inputs, gates, states and steps, and back.
Count mambaMatrices(const Transformer& m, const Mamba2& mamba)
{
    const auto inner = static_cast<Count>(innerWidth(mamba)), convolved = static_cast<Count>(convolvedWidth(mamba));
    return m.hidden * (inner + convolved + mamba.heads) + inner * m.hidden;
}

/// Its convolution with biases; steps, decays and skips of the heads; the norm of its output and that before it.
Count mambaVectors(const Transformer& m, const Mamba2& mamba)
{
    const auto inner = static_cast<Count>(innerWidth(mamba)), convolved = static_cast<Count>(convolvedWidth(mamba));
    return convolved * (mamba.kernel + 1) + 3 * Count{mamba.heads} + inner + normSize(m);
}

double mambaForward(const Transformer& m, double tokens)
{
    if (!m.mamba2)
        return 0;
    return tokens
        * (2.0 * static_cast<double>(mambaMatrices(m, *m.mamba2)) + 2.0 * m.mamba2->kernel * convolvedWidth(*m.mamba2)
            + chunkProducts(*m.mamba2).sum());
}

double layerForward(const Transformer& m, bool moe, double tokens, double span)
{
    const ModuleShares shares = moduleShares(m);
    const double core = 2.0 * tokens * span * attentionCoreWidth(m);
    return shares.attention
        * (2.0 * tokens * static_cast<double>(attentionMatrices(m)) + core + indexerForward(m, tokens))
        + shares.mamba * mambaForward(m, tokens) + shares.ffn * ffnForward(m, moe, tokens);
}

/// Visits runs of neighbouring layers of one kind with their length, those of prediction modules too.
template <class Visit>
void forRuns(const Transformer& m, int sequenceLength, Visit visit)
{
    const int layers = m.layers + m.multiTokenPredictionDepth;
    if (layersAreAlike(m) && layers > 0)
        return visit(layerKind(m, 0, sequenceLength), layers);
    for (int first = 0, next = 0; first < layers; first = next) {
        const LayerKind kind = layerKind(m, first, sequenceLength);
        while (next < layers && layerKind(m, next, sequenceLength) == kind)
            ++next;
        visit(kind, next - first);
    }
}

double forwardFlops(const Transformer& m, int sequenceLength)
{
    double total = headForwardFlops(m, sequenceLength).value();
    forRuns(m, sequenceLength, [&](const LayerKind& kind, int layers) {
        total += layers * layerForwardFlops(m, kind, sequenceLength).value();
    });
    const double merge = 2.0 * sequenceLength * 2.0 * m.hidden * m.hidden;
    return total + m.multiTokenPredictionDepth * (merge + headForwardFlops(m, sequenceLength).value());
}

} // namespace

bool isMoeLayer(const Transformer& model, int index)
{
    if (!model.moe || index < model.moe->leadingDenseLayers)
        return false;
    if (index >= model.layers)
        return true;
    return (index - model.moe->leadingDenseLayers + 1) % std::max(1, model.moe->layerInterval) == 0;
}

LayerCounts layerCounts(const Transformer& model)
{
    if (!model.moe)
        return {model.layers, 0};
    const int moe = std::max(0, model.layers - model.moe->leadingDenseLayers) / std::max(1, model.moe->layerInterval);
    return {model.layers - moe, moe};
}

LayerModules layerModules(const Transformer& model)
{
    LayerModules modules{0, model.layers, layerCounts(model)};
    if (!model.mamba2)
        return modules;
    modules.mamba = model.mamba2->layers;
    modules.attention -= model.mamba2->layers;
    if (!model.mamba2->ffnLayers)
        return modules;
    modules.attention -= *model.mamba2->ffnLayers;
    (modules.ffn.moe > 0 ? modules.ffn.moe : modules.ffn.dense) = *model.mamba2->ffnLayers;
    return modules;
}

ModuleShares moduleShares(const Transformer& model)
{
    if (!model.mamba2)
        return {};
    const LayerModules modules = layerModules(model);
    const double layers = std::max(1, model.layers);
    return {modules.mamba / layers, modules.attention / layers, (modules.ffn.dense + modules.ffn.moe) / layers};
}

double innerWidth(const Mamba2& mamba)
{
    return double(mamba.heads) * mamba.headDim;
}

double convolvedWidth(const Mamba2& mamba)
{
    return innerWidth(mamba) + 2.0 * mamba.groups * mamba.stateDim;
}

ChunkProducts chunkProducts(const Mamba2& mamba)
{
    const double inner = innerWidth(mamba);
    return {2.0 * mamba.groups * mamba.chunk * mamba.stateDim, 2.0 * mamba.chunk * inner, 2.0 * mamba.stateDim * inner,
        2.0 * mamba.stateDim * inner};
}

int attentionSpan(const Transformer& model, int layer, int sequenceLength)
{
    if (model.dsa)
        return std::min(sequenceLength, model.dsa->topK);
    if (!model.slidingWindow || layer >= model.layers)
        return sequenceLength;
    const bool full = model.slidingWindowInterval > 1 && (layer + 1) % model.slidingWindowInterval == 0;
    return full ? sequenceLength : std::min(sequenceLength, *model.slidingWindow);
}

double seenKeys(double window, double length)
{
    return window >= length ? length / 2 : window * (1 - window / (2 * length));
}

StandInShare standInShare(const Transformer& model, int sequenceLength)
{
    if (!model.standIn || model.layers == 0)
        return {};
    const auto mixer = [&](int window) {
        return 2.0 * static_cast<double>(attentionMatrices(model))
            + 2.0 * seenKeys(window, sequenceLength) * attentionCoreWidth(model);
    };
    double priced = 0;
    for (int layer = 0; layer < model.layers; ++layer)
        priced += mixer(attentionSpan(model, layer, sequenceLength));
    const StandIn& in = *model.standIn;
    const double published =
        (model.layers - in.layers) * (mixer(sequenceLength) + in.gateFlopsPerToken) + in.layers * in.flopsPerToken;
    const double stoodIn = in.layers * mixer(attentionSpan(model, 0, sequenceLength));
    const double total = forwardFlops(model, sequenceLength) / sequenceLength;
    return {std::abs(published - priced) / total, std::max(in.layers * in.flopsPerToken, stoodIn) / total};
}

Count attentionMatrices(const Transformer& m)
{
    if (m.mla)
        return latentMatrices(m, *m.mla);
    const Count query = Count{m.heads} * m.headDim;
    const Count keyValue = 2 * Count{m.kvHeads} * m.headDim;
    return Count{m.hidden} * (query + keyValue) + query * m.hidden;
}

double attentionCoreWidth(const Transformer& m)
{
    return m.mla ? m.heads * double(m.mla->nopeHeadDim + m.mla->ropeHeadDim + m.mla->valueHeadDim)
                 : 2.0 * m.heads * m.headDim;
}

ParameterCount parameters(const Transformer& model)
{
    const Count hidden = model.hidden;
    ParameterCount count;
    count.embedding = Count{model.vocabulary} * hidden;
    if (model.position == Position::Learned)
        count.embedding += Count{model.maxPositions} * hidden;
    if (model.embeddingNorm)
        count.embedding += normSize(model);
    if (model.dsa) // its keys have a LayerNorm
        count.indexer = indexerMatrices(model) + 2 * Count{model.dsa->indexHeadDim};
    count.attention = attentionMatrices(model) + attentionVectors(model) + count.indexer;
    if (model.mamba2)
        count.mamba = mambaMatrices(model, *model.mamba2) + mambaVectors(model, *model.mamba2);
    count.denseFfn = ffnSize(model, model.ffnHidden) + ffnNorm(model);
    Count idleRouted = 0; // of one MoE layer, routed experts a token does not visit
    if (model.moe) {
        const MixtureOfExperts& moe = *model.moe;
        const Count expert = ffnSize(model, moe.expertFfn);
        const Count router = hidden * moe.experts + (moe.routerBias ? moe.experts : 0);
        count.moeRouted = moe.experts * expert;
        count.moeFfn = router + count.moeRouted + moe.sharedExperts * ffnSize(model, sharedWidth(moe)) + ffnNorm(model);
        idleRouted = Count{moe.experts - moe.topK} * expert;
    }
    count.finalNorm = normSize(model);
    count.head = model.tiedEmbeddings ? 0 : Count{model.vocabulary} * hidden;
    const LayerModules layers = layerModules(model);
    count.total = count.embedding + layers.attention * count.attention + layers.mamba * count.mamba
        + layers.ffn.dense * count.denseFfn + layers.ffn.moe * count.moeFfn + count.finalNorm + count.head;
    count.active = count.total - layers.ffn.moe * idleRouted;
    // A prediction module: two norms, the merging projection, one more layer, its output norm; embedding and head
    // are shared with the main model (DeepSeek-V3, arXiv 2412.19437, section 2.2).
    const Count module =
        2 * hidden * hidden + 3 * normSize(model) + count.attention + (model.moe ? count.moeFfn : count.denseFfn);
    count.multiTokenPrediction = model.multiTokenPredictionDepth * module;
    return count;
}

Flops modelFlops(const Transformer& model, int sequenceLength, double sequences)
{
    const double layers = moduleShares(model).attention * (double(model.layers) + model.multiTokenPredictionDepth);
    const double lessBackward =
        layers * (2 * indexerForward(model, sequenceLength) - indexerBackward(model, sequenceLength));
    return Flops(3.0 * sequences * forwardFlops(model, sequenceLength) - sequences * lessBackward);
}

Flops maskedFlops(const Transformer& model, int sequenceLength, double sequences)
{
    const double tokens = sequenceLength;
    const double indexer = model.dsa ? double(model.dsa->indexHeads) * model.dsa->indexHeadDim : 0;
    double perToken = 0;
    forRuns(model, sequenceLength, [&](const LayerKind& kind, int layers) {
        const double masked = kind.span - seenKeys(kind.span, tokens);
        // Three passes of attention; index scores of all keys forward, and twice those of the picked ones backward.
        perToken += layers * 2.0 * (3 * masked * attentionCoreWidth(model) + (tokens / 2 + 2 * masked) * indexer);
    });
    return Flops(moduleShares(model).attention * perToken * tokens * sequences);
}

bool layersAreAlike(const Transformer& model)
{
    const bool experts = !model.moe || (model.moe->leadingDenseLayers <= 0 && model.moe->layerInterval <= 1);
    const bool windows = !model.dsa && model.slidingWindow.has_value();
    return experts && (!windows || (model.slidingWindowInterval <= 1 && model.multiTokenPredictionDepth == 0));
}

LayerKind layerKind(const Transformer& model, int layer, int sequenceLength)
{
    return {isMoeLayer(model, layer), attentionSpan(model, layer, sequenceLength)};
}

Flops layerForwardFlops(const Transformer& model, const LayerKind& layer, int sequenceLength)
{
    return Flops(layerForward(model, layer.moe, sequenceLength, layer.span));
}

Flops attentionCoreForwardFlops(const Transformer& model, const LayerKind& layer, int sequenceLength)
{
    return Flops(moduleShares(model).attention
        * (2.0 * sequenceLength * layer.span * attentionCoreWidth(model) + indexerForward(model, sequenceLength)));
}

Flops headForwardFlops(const Transformer& model, int sequenceLength)
{
    return Flops(2.0 * sequenceLength * model.hidden * static_cast<double>(model.vocabulary));
}

} // namespace stratoplan::model
