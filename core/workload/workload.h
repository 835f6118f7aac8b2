// SPDX-License-Identifier: Apache-2.0
// Lowering: plan -> the operators and collectives one rank runs for one micro-batch, per kind of layer, and what
// each pipeline stage holds of them. Nothing here knows seconds; core/cost prices it.
// Symbols: M = b s / c tokens of a micro-batch on one rank, t c p d e degrees, h hidden, f FFN width, V vocabulary.
#pragma once

#include "core/plan/plan.h"
#include "core/units/quantity.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace stratoplan::workload {

enum class OperatorKind {
    Matmul, ///< one dense product m x n x k
    GroupedMatmul, ///< `batch` expert products of m x n x k each
    FlashAttention, ///< fused attention of `flops`
    BatchedMatmul, ///< unfused attention products of `flops`
    Elementwise, ///< `traffic` bytes through memory at least; the software profile says how much more
    ScoreTraffic, ///< the same for softmax and dropout over a materialised score matrix
    Streaming, ///< `traffic` bytes through memory exactly
};

struct Operator {
    std::string_view name;
    OperatorKind kind = OperatorKind::Elementwise;
    double m = 0, n = 0, k = 0;
    double batch = 1;
    Flops flops{};
    Bytes traffic{};
    bool attentionCore = false;
    bool sharedExpert = false; ///< runs on every token beside the routed experts
    double repeated = 0; ///< share of it that selective recomputation repeats
    double share = 1; ///< of the layers that run it
    bool endsLayer = false; ///< last product of a layer that is a mixer or an FFN alone
    bool narrow = false; ///< runs in the low precision of FP8 and FP4 recipes
    double cast = 0; ///< elements of its operands that these recipes cast for it
    double launches = 0; ///< of kernels, on top of the one that is priced with a product or fused attention
    bool backward = false; ///< belongs to the backward pass
    bool weightGradient = false; ///< nothing but the optimizer waits for it
};

enum class CollectiveKind { AllReduce, AllGather, ReduceScatter, AllToAll, RingExchange, Broadcast };

struct Collective {
    std::string_view name;
    CollectiveKind kind = CollectiveKind::AllReduce;
    parallel::Axis axis = parallel::Axis::Tp;
    Bytes
        bytes{}; ///< gathered size (AG, RS, AR, broadcast), local buffer (all-to-all), one hop's block (ring exchange)
    double count = 1;
};

/// One pass of one micro-batch through one layer (or embedding, or head) on one rank.
struct Pass {
    std::vector<Operator> operators;
    std::vector<Collective> collectives;
};

/// Tensors a layer keeps for its backward pass (Korthikanti et al., 2205.05198, section 4).
enum class KeptTensor {
    NormInputs, ///< and the residual stream between them
    ColumnInputs, ///< norm outputs, which the column-parallel products read
    LatentVectors, ///< compressed queries, keys and values of latent attention
    Qkv,
    AttentionOutput,
    SoftmaxStatistics, ///< log-sum-exp of flash attention
    Scores, ///< softmax output, dropout mask and dropped scores of unfused attention
    FfnIntermediates, ///< input and output of the activation; gate, up and their product
    RoutedTokens, ///< tokens dispatched to the local experts, before and after them
    ExpertIntermediates, ///< shared experts included
    DropoutMasks,
    Indexer, ///< queries, keys and picked keys of sparse attention
    StateSpace, ///< of a Mamba-2 mixer: what its input projection makes, and its output before and after the gate
};
inline constexpr std::size_t kKeptTensors = 13;
[[nodiscard]] std::string_view name(KeptTensor tensor);

using TensorBytes = std::array<Bytes, kKeptTensors>; ///< by KeptTensor
[[nodiscard]] Bytes sum(const TensorBytes& tensors);

/// What attention sees of other context ranks at a time: two blocks of the ring, all that was gathered, or exchanged;
/// and of their gradients.
struct ContextBlocks {
    Bytes blocks{}, gradients{};
    [[nodiscard]] Bytes all() const { return blocks + gradients; }
};

/// Activation bytes one rank keeps for the backward pass of one layer and one micro-batch.
struct LayerActivations {
    TensorBytes tensors{}; ///< nothing repeated
    TensorBytes selective{}; ///< with selective recomputation
    Bytes input{}; ///< what full recomputation keeps
    Bytes ffnGradients{}; ///< alive at most while the FFN is differentiated
    Bytes attentionGradients{}; ///< alive at most while the attention is differentiated
    Bytes
        gatheredColumns{}; ///< input of a column-parallel product, whole: sequence parallelism gathers it for every one
    Bytes beyondMean{}; ///< of the layer that keeps most, where the others keep less
    ContextBlocks contextBlocks{};
    [[nodiscard]] Bytes all() const { return sum(tensors); }
};

/// FLOPs of one rank in which Muon orthogonalises the momenta of matrices; with another optimizer none.
struct Orthogonalisation {
    Flops shared{}; ///< beside experts
    Flops experts{};
    Flops largest{}; ///< of one matrix
    void add(const Orthogonalisation& other, int times);
    bool operator==(const Orthogonalisation&) const = default;
};

/// One kind of layer (dense or MoE), the mean of all of them where not all have the same modules.
struct LayerWork {
    Pass forward;
    Pass backward; ///< input and weight gradients
    LayerActivations activations;
    double parameters = 0; ///< on one rank, experts apart
    double expertParameters = 0; ///< on one rank, after EP and expert TP
    double largestShared = 0, largestExperts = 0; ///< the same of the largest layer
    Orthogonalisation orthogonalisation;
};

/// Layers of one stage or chunk by how they are recomputed.
struct RecomputedLayers {
    std::array<int, parallel::kRecomputeKinds> dense{}, moe{}; ///< by Recompute
    bool operator==(const RecomputedLayers&) const = default;
};

/// Layers of prediction modules are counted with the stage that holds them.
struct StageLayout {
    int denseLayers = 0;
    int moeLayers = 0;
    std::optional<RecomputedLayers> recomputed{}; ///< where they are not all recomputed as the strategy says
    int predictionModules = 0; ///< of multi-token prediction, on the last stage
    bool embedding = false;
    bool head = false;
    bool tableHere = false; ///< of a chunk: its output projection reads the embedding of another chunk of its stage,
                            ///< where they are tied
    bool vocabularyShare =
        false; ///< every stage has a share of both vocabulary tables, and works on every micro-batch with it
    double parameters = 0; ///< on one rank, experts apart; embedding and head included
    double expertParameters = 0;
    double embeddingParameters =
        0; ///< of `parameters`: the tables of the first stage, or its share; the copy that prediction modules read
    double headParameters =
        0; ///< of `parameters`: the final norm and the output projection of the last stage, or its share
    Orthogonalisation orthogonalisation;
    [[nodiscard]] int layers() const { return denseLayers + moeLayers; }
    [[nodiscard]] double tables() const { return embeddingParameters + headParameters; } ///< of `parameters`
    StageLayout& operator+=(const StageLayout& chunk); ///< layers and ends; parameters are counted afterwards
    bool operator==(const StageLayout&) const = default;
};

/// What one micro-batch runs on one rank, wherever its layers and ends are placed. It depends on the model, the
/// training, t, c, e, the expert TP, b, sequence parallelism and the context method, and not on the pipeline (but for
/// the stages that the vocabulary is divided over) or on the replicas.
struct MicroBatchWork {
    double tokens = 0; ///< M
    LayerWork dense, moe;
    Pass embeddingForward, embeddingBackward;
    Pass headForward, headBackward; ///< of embedding and head what one of the stages that share them runs
    Pass mergeForward,
        mergeBackward; ///< what a prediction module runs before its layer; embedding and head come on top
    Orthogonalisation mergeOrthogonalisation;
    Bytes boundary{}; ///< activation between stages, one micro-batch, one rank, whole hidden dimension
};

struct Workload : MicroBatchWork {
    int microBatches = 0;
    std::vector<StageLayout> stages;
    std::vector<std::vector<StageLayout>> chunks; ///< placeChunks(): their parameters are not counted
};

/// Vocabulary padded to a multiple of 128 t, as Megatron does, or of 2 t p where p stages share it (2411.05288).
[[nodiscard]] int paddedVocabulary(int vocabulary, int tp, int stages = 1);
/// Elements of one micro-batch's logits on one rank. The work may be that of another vocabulary placement.
[[nodiscard]] double logits(const plan::Plan& plan, const MicroBatchWork& work);
/// How often one micro-batch looks tokens up and predicts on a stage, or in a chunk of it: once, and once for every
/// prediction module.
[[nodiscard]] int lookUps(const plan::Plan& plan, const StageLayout& stage);
[[nodiscard]] int predictions(const plan::Plan& plan, const StageLayout& stage);

/// Precondition of all: check(plan) has no errors.
[[nodiscard]] Workload lower(const plan::Plan& plan);
[[nodiscard]] MicroBatchWork lowerMicroBatch(const plan::Plan& plan);
/// Layers and ends of each stage, and then the parameters of one, given the work of the same plan.
[[nodiscard]] std::vector<StageLayout> placeStages(const plan::Plan& plan);
/// The same of each chunk of each stage, in the order in which its stage numbers them. A two-way schedule places the
/// model twice.
[[nodiscard]] std::vector<std::vector<StageLayout>> placeChunks(const plan::Plan& plan);
void countParameters(const plan::Plan& plan, const MicroBatchWork& work, StageLayout& stage);
/// Layers with or without experts that a stage recomputes so.
[[nodiscard]] int layersWith(
    const parallel::Strategy& strategy, const StageLayout& stage, bool moe, parallel::Recompute recompute);
/// How every layer of the model is recomputed, those of prediction modules at the end.
[[nodiscard]] std::vector<parallel::Recompute> layerRecompute(const plan::Plan& plan);

/// Activation bytes kept per layer: all, all but the attention core, or the layer's input. By tensor, and their sum.
[[nodiscard]] TensorBytes keptTensors(const LayerActivations& activations, parallel::Recompute recompute);
/// What is made again of it, by tensor.
[[nodiscard]] TensorBytes remadeTensors(const LayerActivations& a, parallel::Recompute recompute);
[[nodiscard]] Bytes keptActivations(const LayerActivations& activations, parallel::Recompute recompute);

} // namespace stratoplan::workload
