// SPDX-License-Identifier: Apache-2.0
// A Plan is one plain value: with the catalogue, which has the measured kernels that its parts name, everything an
// estimate depends on. The range of an estimate depends on measured cases, too.
//   Plan = Transformer (what) + Cluster (where) + Training (how) + Strategy (divided how)
// A Project is what a person saves: the current plan and everything around it.
#pragma once

#include "core/cluster/cluster.h"
#include "core/model/transformer.h"
#include "core/parallel/strategy.h"
#include "core/plan/capacity_inputs.h"
#include "core/plan/optimizer.h"
#include "core/plan/search_settings.h"
#include "core/plan/slides.h"
#include "core/plan/software.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::plan {

enum class AttentionKernel {
    Unfused,
    Flash, ///< the fused kernel that is usual on the accelerator: FlashAttention 2 up to Ampere, 3 or its like since
           ///< Hopper
    Flash1, ///< FlashAttention 1 (Dao et al., arXiv 2205.14135)
    Flash2, ///< FlashAttention 2 (Dao, arXiv 2307.08691)
    Flash3, ///< FlashAttention 3 (Shah et al., arXiv 2407.08608)
    FlashFp8, ///< fused in FP8, of FP8 and FP4 recipes (Transformer Engine, fp8_dpa); in 16 bits as Flash
};
inline constexpr std::array kAttentionKernels{AttentionKernel::Unfused, AttentionKernel::Flash, AttentionKernel::Flash1,
    AttentionKernel::Flash2, AttentionKernel::Flash3, AttentionKernel::FlashFp8};
[[nodiscard]] std::string_view key(AttentionKernel kernel); // "unfused", "flash", "flash_1", …
[[nodiscard]] std::optional<AttentionKernel> attentionKernelFromKey(std::string_view key);
[[nodiscard]] inline bool isFlash(AttentionKernel kernel)
{
    return kernel != AttentionKernel::Unfused;
}
/// Of FlashAttention, as asked for; 0 = the usual one, or none.
[[nodiscard]] int flashVersion(AttentionKernel kernel);

struct Training {
    int globalBatch = 1; ///< sequences per optimizer step
    int sequenceLength = 2048;
    /// Tokens of the document that a token is in, on average (the sum of squares over the sum), where several are
    /// packed into a sequence and attend to themselves only; nothing: one each.
    std::optional<int> documentLength;
    model::Precision precision = model::Precision::Bf16;
    bool fp32Gradients = true; ///< gradients accumulated in FP32
    bool narrowReduction = false; ///< replicas sum them in 16 bits all the same
    bool narrowGather = false; ///< FP8 recipes gather the layers' parameters in FP8, not in 16 bits
    Optimizer optimizer = Optimizer::Adam;
    AttentionKernel attention = AttentionKernel::Flash;
    SoftwareProfile software;
    bool operator==(const Training&) const = default;
};

struct Plan {
    std::string name;
    model::Transformer model;
    cluster::Cluster cluster;
    Training training;
    parallel::Strategy strategy;
    bool operator==(const Plan&) const = default;
};

/// Micro-batches each data-parallel rank runs per step: B / (d b). Zero if they do not divide. Where the strategy gives
/// each replica its own number, the greatest.
[[nodiscard]] int microBatches(const Plan& plan);

/// The stage of ZeRO whose memory and traffic a plan has. Stacks with a pipeline keep gradients and gathered weights
/// whole from the first to the last micro-batch, as ZeRO-1 does: PyTorch's FSDP, which does not reshard there (Llama 3,
/// arXiv 2407.21783, section 3.3.2; torchtitan's reshard_after_forward), and what builds on Megatron-LM. Others say so.
[[nodiscard]] inline int effectiveZeroStage(const parallel::Strategy& strategy, const SoftwareProfile& software)
{
    const bool keeps = strategy.pp > 1 && !software.shardsEachMicroBatch;
    return keeps ? std::min(strategy.zeroStage, 1) : strategy.zeroStage;
}
[[nodiscard]] inline int effectiveZeroStage(const Plan& plan)
{
    return effectiveZeroStage(plan.strategy, plan.training.software);
}
/// Whether replicas meet in every micro-batch: they share out what ZeRO-2 or ZeRO-3 shards, or exchange the tokens of
/// experts. All then run as many micro-batches, each at the pace of the slowest.
[[nodiscard]] bool replicasWaitEachMicroBatch(const parallel::Strategy& strategy, const SoftwareProfile& software);

/// Whether each gradient is one rank's alone to update. The mirrored stages of a two-way pipeline are replicas of one
/// another.
[[nodiscard]] bool updatesAlone(const parallel::Strategy& strategy, const SoftwareProfile& software);
/// ZeRO-Offload (arXiv 2101.06840, section 4): no rank keeps gradients where each is its own to update, or shared out.
[[nodiscard]] inline bool streamsGradients(const parallel::Strategy& s, const SoftwareProfile& software)
{
    return s.offload == parallel::Offload::Optimizer && software.offloadStreamsGradients && updatesAlone(s, software);
}
[[nodiscard]] inline bool streamsGradients(const Plan& plan)
{
    return streamsGradients(plan.strategy, plan.training.software);
}

/// Of all replicas.
[[nodiscard]] inline double tokensPerStep(const Plan& plan)
{
    return double(plan.training.globalBatch) * plan.training.sequenceLength;
}

/// Per parameter, with the copies that the stack of the plan keeps.
[[nodiscard]] inline OptimizerState optimizerState(const Training& training, Updated updated)
{
    return optimizerState(training.optimizer, training.software.optimizerStateBytes, updated);
}

/// Bytes of a gradient that replicas sum.
[[nodiscard]] inline double reductionBytes(const Training& training)
{
    return training.fp32Gradients && !training.narrowReduction ? 4 : storageBytes(training.precision);
}
/// Bytes of a parameter that is gathered from its shards; of the layers in FP8 recipes, if the plan asks for it. MXFP8
/// and NVFP4, whose blocks run along either side of a matrix, are cast after a gather in 16 bits (Megatron-Core,
/// reuse_grad_buf_for_mxfp8_param_ag; Megatron-Bridge, fp4_param_gather).
[[nodiscard]] inline double gatherBytes(const Training& training, Updated updated)
{
    const bool narrow =
        training.narrowGather && training.precision == model::Precision::Fp8 && updated == Updated::Layers;
    return narrow ? bytesPerElement(training.precision) : storageBytes(training.precision);
}

/// Whether attention itself reads queries, keys and values in 8 bits.
[[nodiscard]] bool hasNarrowAttention(const Training& training);

/// Tokens over which attention runs: a document's where shorter ones are packed into a sequence, else the sequence's.
[[nodiscard]] int attentionLength(const Training& training);

/// Model FLOPs of one optimizer step, attention over documents (see core/model).
[[nodiscard]] Flops modelFlops(const Plan& plan);
/// Of them those that a causal mask hides.
[[nodiscard]] Flops maskedFlops(const Plan& plan);

struct CanvasPosition {
    double x = 0;
    double y = 0;
    bool operator==(const CanvasPosition&) const = default;
};
using CanvasPositions = std::map<std::string, CanvasPosition>; ///< by element id of the cluster

struct PinnedPlan {
    std::string name;
    Plan plan;
    CapacityInputs capacity;
    std::string note; ///< what a person says of it
    bool operator==(const PinnedPlan&) const = default;
};

/// A view that a person kept as a slide of the presentation, of the plan as it was then.
struct SavedSlide {
    std::string name;
    SlideView view = SlideView::Decision;
    Plan plan;
    CapacityInputs capacity;
    bool operator==(const SavedSlide&) const = default;
};

struct Project {
    Plan plan;
    CanvasPositions canvas;
    CapacityInputs capacity;
    SearchSettings search;
    std::vector<PinnedPlan> pinned; ///< [0] is the baseline of the deltas
    std::vector<SavedSlide> slides; ///< after those that every presentation has
    std::string notes;
    bool operator==(const Project&) const = default;
};

} // namespace stratoplan::plan
