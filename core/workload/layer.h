// SPDX-License-Identifier: Apache-2.0
// The operators and collectives of one transformer layer on one rank.
#pragma once

#include "core/workload/workload.h"

namespace stratoplan::workload {

/// Operators of a layer, by whose names recomputation and partitions find them.
namespace names {
inline constexpr std::string_view kQkv = "QKV";
inline constexpr std::string_view kQueryUp = "query up-projection";
inline constexpr std::string_view kKvUp = "KV up-projection";
inline constexpr std::string_view kFlashAttention = "flash attention";
inline constexpr std::string_view kFlashAttentionGradient = "flash attention gradient";
inline constexpr std::string_view kAttentionProducts = "attention products";
inline constexpr std::string_view kAttentionProductGradients = "attention product gradients";
inline constexpr std::string_view kSoftmax = "softmax";
inline constexpr std::string_view kSoftmaxGradient = "softmax gradient";
inline constexpr std::string_view kScoreDropout = "score dropout";
inline constexpr std::string_view kScoreDropoutGradient = "score dropout gradient";
inline constexpr std::string_view kAttentionCasts = "casts of queries, keys and values";
inline constexpr std::string_view kAttentionGradientCasts = "casts of attention's gradients";
inline constexpr std::string_view kRingKeys = "ring buffer of keys and values";
inline constexpr std::string_view kRingKeyGradients = "ring sums of key and value gradients";
inline constexpr std::string_view kRingOutputs = "merging of ring outputs";
inline constexpr std::string_view kRingQueryGradients = "ring sums of query gradients";
inline constexpr std::string_view kAttentionOutput = "attention output";
inline constexpr std::string_view kNorms = "norms and residuals";
inline constexpr std::string_view kNormGradients = "norm and residual gradients";
inline constexpr std::string_view kRotary = "rotary, bias and transposes";
inline constexpr std::string_view kRotaryGradients = "rotary, bias and transpose gradients";
inline constexpr std::string_view kFfnGateAndUp = "FFN gate and up";
inline constexpr std::string_view kFfnUp = "FFN up";
inline constexpr std::string_view kFfnActivation = "FFN activation";
inline constexpr std::string_view kFfnActivationGradient = "FFN activation gradient";
inline constexpr std::string_view kFfnDown = "FFN down";
inline constexpr std::string_view kExpertActivation = "expert activation";
// Of layers that are divided in space and time alone:
inline constexpr std::string_view kSharedGateAndUp = "shared expert gate and up";
inline constexpr std::string_view kSharedUp = "shared expert up";
inline constexpr std::string_view kSharedActivation = "shared expert activation";
inline constexpr std::string_view kSharedDown = "shared expert down";
inline constexpr std::string_view kExperts = "experts";
} // namespace names

/// What the lowering of a layer reads from the plan, resolved once.
struct LayerShape {
    const model::Transformer& model;
    const plan::Training& training;
    const parallel::Strategy& strategy;
    double tokens; ///< M
    double keys; ///< keys a query sees on average: causal mask and sliding window
    double blockKeys; ///< the same of one call of fused attention: of a ring's block
    double scoreColumns; ///< columns of the score matrix that unfused attention materialises (the mask saves nothing)
    double t;
    double replicatedBy; ///< t with sequence parallelism, else 1
    double element; ///< bytes of one activation or weight as stored: 2, or 4 in FP32 and TF32
    // Of sparse attention:
    double indexedKeys = 0; ///< keys that the indexer scores for a query on average
    double pickedKeys = 0; ///< those of them that the query attends to
    /// Attention works on the latent vectors, which all heads share (the MQA mode of 2405.04434 and 2512.02556): only
    /// so can a kernel skip keys. False: in every head's own keys and values, all of them, with a mask; less work where
    /// sequences are short.
    bool absorbed = false;
};

[[nodiscard]] LayerShape layerShape(const plan::Plan& plan);
[[nodiscard]] LayerWork lowerLayer(const LayerShape& shape, bool moe);

/// Whether the recipe runs matrix products in 8 bits or fewer.
[[nodiscard]] bool hasNarrowProducts(const plan::Training& training);

/// Widths of a query/key head and of a value head.
struct HeadDims {
    double key, value;
};
[[nodiscard]] HeadDims headDims(const model::Transformer& model);
/// The same of what the attention core works on, and the width of the keys and values of a token on one rank.
[[nodiscard]] HeadDims coreDims(const LayerShape& shape);
[[nodiscard]] double keyValueWidth(const LayerShape& shape);
/// Bytes of one element of what fused attention reads and keeps, and its ranks exchange.
[[nodiscard]] double attentionElement(const LayerShape& shape);
/// KV heads on one rank; each rank holds at least one (replicated when t exceeds them).
[[nodiscard]] double localKvHeads(const LayerShape& shape);
/// Of the attention of a layer, on a rank of context parallelism.
struct ContextTensors {
    Bytes keysAndValues{}, queriesAndOutputs{};
    double kvHeads = 1;
    Bytes keyAndValueGradients{}, queryAndOutputGradients{}; ///< as ranks send them
    bool sendsGradientsHome = false; ///< of a ring, with its last block; else they travel with their blocks
    Bytes queryGradients{}; ///< then: of one block
    [[nodiscard]] ContextTensors gradients() const { return {keyAndValueGradients, queryAndOutputGradients, kvHeads}; }
};
[[nodiscard]] ContextTensors contextTensors(const LayerShape& shape);
/// What one collective of context parallelism moves: a rank's block of keys and values round the ring, those of all
/// ranks, or (Ulysses) a rank's queries, keys, values and output.
[[nodiscard]] Bytes contextExchange(parallel::ContextMethod method, int ranks, const ContextTensors& tensors);
[[nodiscard]] ContextBlocks contextBlocks(parallel::ContextMethod method, int ranks, const ContextTensors& tensors);
/// The collectives of both passes.
struct ContextCollectives {
    std::vector<Collective> forward, backward;
};
[[nodiscard]] ContextCollectives contextCollectives(
    parallel::ContextMethod method, int ranks, const ContextTensors& tensors);
/// Appends those of a layer, if any.
void addContext(const LayerShape& shape, Pass& forward, Pass& backward);
/// Whether blocks of keys and values go round the context ranks.
[[nodiscard]] bool isRing(const parallel::Strategy& strategy);
/// Appends what copies a ring's blocks and adds them up beside fused attention, if there is a ring. Ranks of other
/// tokens wait for the first copy and none for the sums: no exchange hides behind it.
void addRingMerges(const LayerShape& shape, Pass& forward, Pass& backward);
/// Width of all shared experts together.
[[nodiscard]] double sharedWidth(const model::MixtureOfExperts& moe);
/// Token copies that the busiest rank's experts process for one micro-batch.
[[nodiscard]] double routedTokens(const LayerShape& shape);
/// What one exchange of expert parallelism moves: a rank's tokens to their experts, or back.
[[nodiscard]] Bytes expertExchange(const LayerShape& shape);

/// What one layer keeps for its backward pass, and what differentiating it needs beside that.
[[nodiscard]] LayerActivations layerActivations(const LayerShape& shape, bool moe);

/// Appends what the indexer of sparse attention does, on every tensor-parallel rank for all heads.
void addIndexer(const LayerShape& shape, Pass& forward, Pass& backward);
/// What it keeps of a micro-batch, and the gradients that are alive while it is differentiated.
[[nodiscard]] Bytes indexerActivations(const LayerShape& shape);
[[nodiscard]] Bytes indexerGradients(const LayerShape& shape);

/// Appends what a Mamba-2 mixer does.
void addMamba(const LayerShape& shape, Pass& forward, Pass& backward);
[[nodiscard]] Bytes mambaActivations(const LayerShape& shape, double cached);
[[nodiscard]] Bytes mambaGradients(const LayerShape& shape);

/// Appends the input- and the weight-gradient product of a forward product.
void addMatmulBackward(Pass& backward, const Operator& forward);

} // namespace stratoplan::workload
