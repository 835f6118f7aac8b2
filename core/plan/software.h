// SPDX-License-Identifier: Apache-2.0
// What a training stack does, as data: which kernels are fused, what overlaps, what it keeps in memory, and
// what its host side costs. One profile serves every case run with that stack; no constant belongs to a case.
// Sources of the shipped constants: resources/catalog/software.json.
#pragma once

#include "core/cluster/cluster.h"
#include "core/parallel/communication_timing.h"
#include "core/units/quantity.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::plan {

/// What a stack's "selective" recomputation repeats.
enum class SelectiveRecompute {
    AttentionCore, ///< scores, softmax and their product with the values (Megatron; Korthikanti et al., 2205.05198)
    EveryOtherProduct, ///< all but the attention core and every second matrix product (torchtitan's per-op option)
    Modules, ///< norms, activations of FFNs and the up-projections of latent attention (Megatron-Core's modules
             ///< layernorm, moe_act, mla_up_proj; DeepSeek-V3, 2412.19437, section 3.2.3), and the attention core where
             ///< it is not fused
};

/// What decides whether a run is like those that a profile was calibrated to.
struct RunExtents {
    int layers = 1, hidden = 1, experts = 1, sequence = 1, accelerators = 1, microBatch = 1, tp = 1, pp = 1, cp = 1,
        ep = 1;
    bool operator==(const RunExtents&) const = default;
};

/// The runs that a profile was calibrated to: estimates of others are less sure.
struct CalibratedOn {
    int rows = 0;
    double shift = 1; ///< median factor on the base profile's step times of these runs
    std::vector<std::string> accelerators; ///< ids
    RunExtents least, most;
    bool operator==(const CalibratedOn&) const = default;
};

struct SoftwareProfile {
    std::string id;
    std::string name;
    std::string source;
    std::string base; ///< profile whose constants this one started from: its measured cases are evidence for this one's
                      ///< range; empty = none
    std::vector<std::string> vendors; ///< whose accelerators the stack runs on; empty = anybody's
    // Computation
    double matmulFactor = 1.0; ///< on the accelerator's sustained matrix rate
    double memoryFactor = 1.0; ///< on the accelerator's sustained memory rate
    double flashForward = 0.55; ///< flash attention, share of the sustained matrix rate
    double flashBackward = 0.42;
    int flashVersion = 0; ///< of FlashAttention that the two stand for; 0 = the one usual on the accelerator
    double unfusedAttention = 0.45; ///< batched products of unfused attention, same base
    double scoreTraffic = 1; ///< multiplier on the minimal traffic of its softmax and dropout over the scores
    double fp8Factor = 1.8; ///< matrix-product speed-up of FP8 over BF16; the rest of the layer stays BF16
    double nvfp4Factor = 3.0;
    bool currentScaling = false; ///< FP8 scales come from the tensor itself, which is read for its largest element
                                 ///< before it is cast; else from earlier steps (delayed scaling)
    double elementwiseForward = 1.0; ///< multiplier on the minimal traffic of norms, activations, residuals
    double elementwiseBackward = 1.3;
    double groupedMatmulFactor = 1.0; ///< rate of expert GEMMs over what they reach alone
    double lossBytesForward = 17; ///< bytes per logit of the cross-entropy, forward
    double lossBytesBackward = 17;
    double gradientAccumulationBytes = 1; ///< bytes per local parameter and micro-batch (fused into wgrad: about 1)
    double optimizerBytes = 30; ///< bytes per local parameter of the optimizer step
    Seconds optimizerFixed{0.005};
    Seconds shardBroadcast{
        0.0}; ///< per rank of the ZeRO group, where updated parameters return by one broadcast a rank
    Seconds shardSlice{0.0}; ///< per rank of the ZeRO group and tensor, where they return tensor by tensor in slices
    Seconds kernelLaunch{2.5e-6}; ///< per matrix product, on the device
    Seconds hostForward{0.0}; ///< host floor of one layer's forward pass; 0 with CUDA graphs
    Seconds hostBackward{0.0};
    Seconds hostPerTpDoubling{0.0}; ///< added to a pass per doubling of TP
    Seconds hostPerCollective{0.0}; ///< added to a pass per collective of its tensor-parallel group
    Seconds hostPerExpert{0.0}; ///< added to a pass of an expert layer per local expert
    SelectiveRecompute selectiveRecompute = SelectiveRecompute::AttentionCore;
    bool recomputeEarlyStop = false; ///< recomputation ends before the last product of the block

    // Communication
    double tpOverlap = 0; ///< share of TP communication hidden behind chunked products
    double expertOverlap = 0; ///< share of the shared experts' computation that hides dispatch and combine
    double epOverlap = 0; ///< share of dispatch and combine hidden behind another micro-batch's computation
    bool dispatchOnce =
        false; ///< a token goes once to each rank that holds any of its experts (DeepEP, HybridEP), not once an expert
    bool narrowGathers =
        false; ///< FP8 and FP4 recipes gather sequence-parallel inputs and gradients as FP8 (Transformer Engine)
    double sequenceParallelRegather = 1; ///< re-gathers of column inputs for the weight gradient, 0–1
    double dpOverlap = 0; ///< share of one micro-batch's backward pass that hides gradient sync
    double dpExposedFloor = 0.1; ///< share of the sync that stays exposed whatever the window
    double fsdpHidden = 0.6; ///< share of FSDP traffic that prefetch can hide
    double overlapContention = 0.05; ///< share of hidden communication that slows computation
    double p2pExposed = 0.25; ///< share of a stage-boundary transfer that blocks the stage
    Seconds p2pLatency{0.0003};
    parallel::TransferPath transfers =
        parallel::TransferPath::Links; ///< what carries them; where it is no link of its own, they block in full
    bool lazyTransfers = false; ///< issued when their consumer is due
    parallel::ReshardMethod resharding =
        parallel::ReshardMethod::SendReceive; ///< between stages that divide tensors otherwise
    parallel::SyncTime gradientSync = parallel::SyncTime::AfterPasses; ///< when gradients are reduced over replicas
    bool reducesWhole = false; ///< ZeRO-1 and 2 sum whole gradients on every replica, though each needs its share only
    Bytes gradientBucket{}; ///< gradients that one collective reduces; 0 = all of them
    double bucketParameters = 0; ///< that one collective reduces or gathers where it overlaps and no pipeline does, at
                                 ///< the least; 0 = all of them
    double bucketParametersPerReplica = 0; ///< and for each replica, where that is more
    bool shardsEachMicroBatch = false; ///< ZeRO-2 and 3 in a pipeline share out gradients and weights after every
                                       ///< micro-batch, not once a step
    bool scatterGather = true; ///< boundary tensors are sent as 1/t slices (Megatron)
    bool gradientsInFp32 = true; ///< gradient accumulation in FP32
    bool narrowReduction = false; ///< and their reduction over replicas in 16 bits
    bool narrowParameterGather = false; ///< FP8 recipes gather parameters in FP8
    double scaleJitter = 0.01; ///< spread of the nodes' speeds: the slowest of n is sqrt(2 ln n) of it behind

    // Memory
    bool flashAttention = true; ///< default kernel of the stack
    bool fusedElementwise = true; ///< norms and SwiGLU keep their inputs and outputs only, no intermediate of theirs
    bool narrowGradientsStay = false; ///< 16-bit gradients stay beside their FP32 sums (DeepSpeed's BF16 optimizer)
    bool narrowCaches = false; ///< products of FP8 and FP4 recipes keep their inputs in 8 bits (Transformer Engine)
    bool narrowActivationInputs =
        false; ///< and so do the activations of FFNs (Megatron-Core's option; DeepSeek-V3, 2412.19437, section 3.3.3)
    bool expertOutputsStay =
        true; ///< kept to differentiate the router's weights; not where those are applied before the last product
    bool offloadStreamsGradients = false; ///< an optimizer on the host gets gradients as they are made, a bucket of
                                          ///< `bucketParameters` at a time (ZeRO-Offload)
    double optimizerStateBytes =
        12; ///< per local parameter: FP32 master weight and two moments, and copies the optimizer makes
    double gradientCopyBytes =
        0; ///< per parameter of the largest product: its gradient before it is accumulated; 0 when fused
    double flatGradientBytes =
        0; ///< per local parameter: copy of the gradients in one piece, of an optimizer of ZeRO-1 or 2 that needs it
    Bytes reduceBuckets{}; ///< flattened gradients under way between replicas, of the same optimizer
    Bytes reserve{1.2e9}; ///< context, collectives, workspaces
    double logitBytes = 8; ///< bytes per logit alive at the loss peak
    double transientLayers = 1.0; ///< layers of activations alive while one layer is recomputed or differentiated

    // Range of an estimate: 10th and 90th percentile of measured over estimated step time on the open measured cases
    // of this stack (printed by `stratoplan-cli validate`). Wide where nothing was measured.
    double rangeLow = 0.75;
    double rangeHigh = 1.35;
    std::optional<CalibratedOn> calibratedOn; ///< of a profile that was fitted to a person's own runs
    bool operator==(const SoftwareProfile&) const = default;
};

/// Whether a stack runs on a vendor's accelerators; "NVIDIA Corporation" is NVIDIA.
[[nodiscard]] bool runsOn(const SoftwareProfile& software, std::string_view vendor);
/// On all that take part; those whose vendor is not stated are taken to.
[[nodiscard]] bool runsOnAll(const SoftwareProfile& software, const cluster::Cluster& cluster);

} // namespace stratoplan::plan
