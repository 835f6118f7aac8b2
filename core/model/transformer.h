// SPDX-License-Identifier: Apache-2.0
// The shape of a decoder-only transformer, and what follows from the shape alone: parameters and FLOPs.
// Symbols as in the literature: L layers, h hidden, f FFN width, a heads, k KV heads, hd head dimension,
// V vocabulary, s sequence length.
#pragma once

#include "core/units/quantity.h"

#include <cstdint>
#include <optional>
#include <string>

namespace stratoplan::model {

enum class Norm { Layer, Rms };
enum class Position { Learned, Rotary, Alibi };

/// Routed and shared experts of a mixture-of-experts layer.
struct MixtureOfExperts {
    int experts = 8; ///< routed experts per MoE layer
    int topK = 2; ///< routed experts per token
    int expertFfn = 0; ///< FFN width of one routed expert
    int sharedExperts = 0; ///< experts every token passes through
    int sharedExpertFfn = 0; ///< FFN width of one shared expert; 0 = expertFfn
    int leadingDenseLayers = 0; ///< dense layers before the first MoE layer
    int layerInterval = 1; ///< every n-th layer after those is MoE (Llama 4 Maverick: 2)
    double capacityFactor = 0; ///< 0 = dropless
    double imbalance = 1.0; ///< tokens of the busiest expert rank over the mean, >= 1
    bool routerBias = false; ///< one balancing bias per routed expert (DeepSeek-V3)
    bool operator==(const MixtureOfExperts&) const = default;
};

/// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434).
struct LatentAttention {
    int queryRank = 0; ///< 0 = queries are not compressed
    int kvRank = 512;
    int ropeHeadDim = 64; ///< decoupled rotary part of a query/key head
    int nopeHeadDim = 128; ///< the rest of a query/key head
    int valueHeadDim = 128;
    bool operator==(const LatentAttention&) const = default;
};

/// DeepSeek sparse attention (arXiv 2512.02556): beside latent attention an indexer scores every earlier key for each
/// query, and attention sees the best of them.
struct SparseAttention {
    int indexHeads = 64; ///< of the indexer's queries; it has one key head
    int indexHeadDim = 128;
    int topK = 2048; ///< keys that a query attends to
    bool operator==(const SparseAttention&) const = default;
};

/// Mamba-2 (arXiv 2405.21060): a state-space mixer in place of attention. A layer is a mixer with an FFN behind it, or
/// (Nemotron-H) one of both.
struct Mamba2 {
    int layers = 0; ///< with such a mixer
    std::optional<int> ffnLayers; ///< that are an FFN alone, where layers are a mixer or an FFN; else all have one
    int heads = 0;
    int headDim = 64;
    int stateDim = 128; ///< of a head's state, by its dimension
    int groups = 1; ///< of heads that share what is written to their states and read from them
    int kernel = 4; ///< tokens that the convolution sees
    int chunk = 256; ///< tokens that are mixed by products of matrices; between chunks the states go on
    bool operator==(const Mamba2&) const = default;
};

/// Layers of a kind that is not modelled, for which those with a window stand in.
struct StandIn {
    std::string kind; ///< what they are: "Gated DeltaNet"
    int layers = 0;
    double parameters = 0; ///< of one of their mixers, norm before it left out
    double flopsPerToken = 0; ///< forward, of one of their mixers, by published formulas
    double gateFlopsPerToken = 0; ///< forward, of the output gate of each other layer, which is not priced
    bool operator==(const StandIn&) const = default;
};

struct Transformer {
    std::string name;
    int layers = 0;
    int hidden = 0;
    int ffnHidden = 0; ///< width of the dense FFN
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int vocabulary = 0; ///< unpadded
    int maxPositions = 0; ///< rows of the learned position table; ignored for rotary and ALiBi
    bool gatedMlp = false; ///< SwiGLU / GeGLU: three FFN matrices instead of two
    bool tiedEmbeddings = false;
    bool linearBias = false; ///< biases on every linear layer (GPT style)
    bool qkvBias = false; ///< bias on the QKV projection only (Qwen 2)
    bool qkNorm = false; ///< RMSNorm on queries and keys (Qwen 3)
    bool dropout = false; ///< dropout masks kept for the backward pass
    bool parallelBlock = false; ///< attention and MLP read the same norm (GPT-J, PaLM)
    bool embeddingNorm = false; ///< extra LayerNorm after the embedding (BLOOM)
    Norm norm = Norm::Rms;
    Position position = Position::Rotary;
    std::optional<int> slidingWindow; ///< tokens a local layer attends to
    int slidingWindowInterval = 1; ///< every n-th layer attends fully when > 1; 1 = every layer is local
    int multiTokenPredictionDepth = 0; ///< extra prediction modules (DeepSeek-V3)
    std::optional<MixtureOfExperts> moe;
    std::optional<LatentAttention> mla;
    std::optional<SparseAttention> dsa;
    std::optional<Mamba2> mamba2;
    std::optional<StandIn> standIn;
    std::string source; ///< where the shape was read
    bool operator==(const Transformer&) const = default;
};

/// Layers of each kind. dense + moe == model.layers.
struct LayerCounts {
    int dense = 0;
    int moe = 0;
};
[[nodiscard]] LayerCounts layerCounts(const Transformer& model);

/// Layers that have each module. Where not all have all, every layer is taken for the mean of them.
struct LayerModules {
    int mamba = 0, attention = 0;
    LayerCounts ffn;
};
[[nodiscard]] LayerModules layerModules(const Transformer& model);
/// The same over all layers of the model; an FFN of either kind, as no layer of a model without FFNs in some has
/// another than the rest.
struct ModuleShares {
    double mamba = 0, attention = 1, ffn = 1;
    [[nodiscard]] double norms() const { return mamba + attention + ffn; } ///< of a layer, one before each module
};
[[nodiscard]] ModuleShares moduleShares(const Transformer& model);
/// Widths of a Mamba-2 mixer over all heads: of its inputs and outputs, and of what its convolution sees: them, and
/// what is written to the states and read from them.
[[nodiscard]] double innerWidth(const Mamba2& mamba);
[[nodiscard]] double convolvedWidth(const Mamba2& mamba);
/// FLOPs of a token beside its projections, forward: products within its chunk, and with the states between chunks
/// (arXiv 2405.21060, section 6).
struct ChunkProducts {
    double scores = 0; ///< of all groups
    double values = 0; ///< of all heads, inside the chunk
    double states = 0; ///< that the chunk adds
    double outputs = 0; ///< of the states before it
    [[nodiscard]] double sum() const { return scores + values + states + outputs; }
};
[[nodiscard]] ChunkProducts chunkProducts(const Mamba2& mamba);
/// True if layer `index` (0-based) is a mixture-of-experts layer. From `layers` on stand the layers of the prediction
/// modules, which are like the last kind of the model and attend fully.
[[nodiscard]] bool isMoeLayer(const Transformer& model, int index);
/// Tokens that a query of layer `layer` (0-based) attends to at most: the sequence, the sliding window, or the keys
/// that an indexer picks.
[[nodiscard]] int attentionSpan(const Transformer& model, int layer, int sequenceLength);
/// What the FLOPs of a layer depend on beside the widths that all layers share.
struct LayerKind {
    bool moe = false;
    int span = 0; ///< tokens
    bool operator==(const LayerKind&) const = default;
};
[[nodiscard]] LayerKind layerKind(const Transformer& model, int layer, int sequenceLength);
/// Whether all layers are of one kind.
[[nodiscard]] bool layersAreAlike(const Transformer& model);

/// Of so many keys at most, and of all before it, those that a causal query sees on average.
[[nodiscard]] double seenKeys(double window, double length);

/// What is not known of a model with stand-ins at that sequence length, as shares of its forward FLOPs.
struct StandInShare {
    double off = 0; ///< between what is priced of all mixers and what published formulas say
    double mixers = 0; ///< of the layers that are stood in for: the larger of both
};
[[nodiscard]] StandInShare standInShare(const Transformer& model, int sequenceLength);
/// Elements of the weight matrices of the attention of a layer, and the widths of its keys and values over all heads,
/// which scores and values multiply with.
[[nodiscard]] std::int64_t attentionMatrices(const Transformer& model);
[[nodiscard]] double attentionCoreWidth(const Transformer& model);

/// Exact parameter counts. Oracles: GPT-3 175B (arXiv 2005.14165) has 174,604,259,328, Llama 3 405B (arXiv 2407.21783)
/// 405,853,388,800.
struct ParameterCount {
    std::int64_t embedding = 0; ///< token and position tables, embedding norm
    std::int64_t attention = 0; ///< of one layer, with its norm and its indexer
    std::int64_t indexer = 0; ///< of which the indexer of sparse attention
    std::int64_t mamba = 0; ///< of the Mamba-2 mixer of one layer, with its norm
    std::int64_t denseFfn = 0; ///< of one dense layer, with its norm
    std::int64_t moeFfn = 0; ///< of one MoE layer: router, routed and shared experts, norm
    std::int64_t moeRouted = 0; ///< of which routed experts (divided by EP)
    std::int64_t finalNorm = 0;
    std::int64_t head = 0; ///< output projection; 0 when tied
    std::int64_t multiTokenPrediction =
        0; ///< all prediction modules; not in `total`, as published counts leave them out
    std::int64_t total = 0; ///< of the main model
    std::int64_t active = 0; ///< of which touched by one token: top-k of the routed experts
    bool operator==(const ParameterCount&) const = default;
};
[[nodiscard]] ParameterCount parameters(const Transformer& model);

/// Model FLOPs of one optimizer step (forward and backward, no recomputation), every matrix product counted:
/// 3 x forward. For a GELU MHA model this is 72 B L s h^2 (1 + s/(6h) + V/(12hL)), Korthikanti et al. 2205.05198.
/// Attention scores are counted over the full square, as Megatron and PaLM count them. An indexer is trained apart, on
/// the keys that it picked and with nothing to tell what it reads (arXiv 2512.02556, section 2.1): backward it has the
/// gradients of its weights, and of its scores over those keys.
[[nodiscard]] Flops modelFlops(const Transformer& model, int sequenceLength, double sequences);
/// Of modelFlops those of scores and values that a causal mask hides: half of those of full attention. The other
/// convention leaves them out (PaLM, arXiv 2204.02311, appendix B, counts them; FlashAttention-2, 2307.08691, section
/// 4.1, halves them).
[[nodiscard]] Flops maskedFlops(const Transformer& model, int sequenceLength, double sequences);
/// Forward FLOPs of one sequence through a layer of a kind, through the scores and values of its attention with
/// the indexer that picks its keys, and through the output projection.
[[nodiscard]] Flops layerForwardFlops(const Transformer& model, const LayerKind& layer, int sequenceLength);
[[nodiscard]] Flops attentionCoreForwardFlops(const Transformer& model, const LayerKind& layer, int sequenceLength);
/// The same of layer `layer` (0-based).
[[nodiscard]] inline Flops layerForwardFlops(const Transformer& model, int layer, int sequenceLength)
{
    return layerForwardFlops(model, layerKind(model, layer, sequenceLength), sequenceLength);
}
[[nodiscard]] inline Flops attentionCoreForwardFlops(const Transformer& model, int layer, int sequenceLength)
{
    return attentionCoreForwardFlops(model, layerKind(model, layer, sequenceLength), sequenceLength);
}
[[nodiscard]] Flops headForwardFlops(const Transformer& model, int sequenceLength);

} // namespace stratoplan::model
