// SPDX-License-Identifier: Apache-2.0
#include "core/plan/software_fields.h"

#include <cassert>
#include <type_traits>

namespace stratoplan::plan {
namespace {

using P = SoftwareProfile;

constexpr ConstantPrior ofTime(double spread)
{
    return {.spread = spread};
}

/// Of what a kernel does over what it has to, or of a rate over what it reaches alone.
constexpr ConstantPrior multiplier(double spread, double minimum, double maximum)
{
    return {.spread = spread, .maximum = maximum, .minimum = minimum};
}

constexpr ConstantPrior ofMemory(double spread, double maximum = ConstantPrior().maximum)
{
    return {.target = CalibrationTarget::PeakMemory, .spread = spread, .maximum = maximum};
}

constexpr ConstantPrior share(double spread)
{
    return {.share = true, .spread = spread};
}

// Spreads say how far a constant may plausibly lie from its prior: a rate that kernels pin down within 10 %, a
// multiplier that absorbs unknown kernels within a factor of two.
constexpr SoftwareField kFields[]{
    {.key = "id", .member = &P::id},
    {.key = "name", .member = &P::name},
    {.key = "source", .member = &P::source},
    {.key = "based_on", .member = &P::base, .required = false},
    {.key = "vendors", .member = &P::vendors},
    {.key = "matmul_factor", .member = &P::matmulFactor, .positive = true, .prior = multiplier(0.12, 0.5, 1.25)},
    {.key = "memory_factor", .member = &P::memoryFactor, .positive = true, .prior = multiplier(0.08, 0.6, 1.2)},
    {.key = "flash_forward", .member = &P::flashForward, .positive = true, .prior = share(0.3)},
    {.key = "flash_backward", .member = &P::flashBackward, .positive = true, .prior = share(0.3)},
    {.key = "flash_version", .member = &P::flashVersion, .required = false},
    {.key = "unfused_attention", .member = &P::unfusedAttention, .positive = true, .prior = share(0.3)},
    {.key = "score_traffic", .member = &P::scoreTraffic, .prior = multiplier(0.5, 0.4, 4)},
    // Of products of endless depth: the measured tables take off what short depths cost, so that no real
    // product in FP8 reaches twice, none in FP4 four times the 16-bit rate.
    {.key = "fp8_factor", .member = &P::fp8Factor, .positive = true, .prior = multiplier(0.1, 1, 2.33)},
    {.key = "nvfp4_factor", .member = &P::nvfp4Factor, .positive = true, .prior = multiplier(0.15, 1, 4.2)},
    {.key = "current_scaling", .member = &P::currentScaling, .required = false},
    // Fusion with residuals and casts saves up to half, and no operator by operator moves ten times as much.
    {.key = "elementwise_forward", .member = &P::elementwiseForward, .prior = multiplier(0.7, 0.5, 10)},
    {.key = "elementwise_backward", .member = &P::elementwiseBackward, .prior = multiplier(0.7, 0.5, 10)},
    // Plain ones are at 1.22; those that are fused with their casts and activations go beyond.
    {.key = "grouped_matmul_factor",
        .member = &P::groupedMatmulFactor,
        .positive = true,
        .prior = multiplier(0.22, 0.3, 1.6)},
    {.key = "loss_bytes_forward", .member = &P::lossBytesForward, .prior = ofTime(0.4)},
    {.key = "loss_bytes_backward", .member = &P::lossBytesBackward, .prior = ofTime(0.4)},
    {.key = "gradient_accumulation_bytes", .member = &P::gradientAccumulationBytes, .prior = ofTime(0.5)},
    {.key = "optimizer_bytes", .member = &P::optimizerBytes, .prior = ofTime(0.4)},
    {.key = "optimizer_fixed_ms", .member = &P::optimizerFixed, .unit = kInMilli, .prior = ofTime(0.8)},
    {.key = "shard_broadcast_ms", .member = &P::shardBroadcast, .unit = kInMilli, .prior = ofTime(0.5)},
    {.key = "shard_slice_us", .member = &P::shardSlice, .unit = kInMicro, .required = false, .prior = ofTime(0.7)},
    {.key = "kernel_launch_us", .member = &P::kernelLaunch, .unit = kInMicro, .prior = ofTime(0.5)},
    {.key = "host_forward_ms", .member = &P::hostForward, .unit = kInMilli, .prior = ofTime(0.5)},
    {.key = "host_backward_ms", .member = &P::hostBackward, .unit = kInMilli, .prior = ofTime(0.5)},
    {.key = "host_per_tp_doubling_ms", .member = &P::hostPerTpDoubling, .unit = kInMilli, .prior = ofTime(0.7)},
    {.key = "host_per_collective_us",
        .member = &P::hostPerCollective,
        .unit = kInMicro,
        .required = false,
        .prior = ofTime(0.7)},
    {.key = "host_per_expert_ms",
        .member = &P::hostPerExpert,
        .unit = kInMilli,
        .required = false,
        .prior = ofTime(0.7)},
    {.key = "selective_recompute", .member = &P::selectiveRecompute},
    {.key = "recompute_early_stop", .member = &P::recomputeEarlyStop},
    {.key = "tp_overlap", .member = &P::tpOverlap, .prior = share(0.7)},
    {.key = "expert_overlap", .member = &P::expertOverlap},
    {.key = "ep_overlap", .member = &P::epOverlap, .required = false, .prior = share(0.7)},
    {.key = "dispatch_once", .member = &P::dispatchOnce, .required = false},
    {.key = "narrow_gathers", .member = &P::narrowGathers, .required = false},
    {.key = "sequence_parallel_regather", .member = &P::sequenceParallelRegather},
    {.key = "dp_overlap", .member = &P::dpOverlap, .prior = share(0.7)},
    {.key = "dp_exposed_floor", .member = &P::dpExposedFloor, .prior = share(0.7)},
    {.key = "fsdp_hidden", .member = &P::fsdpHidden, .prior = share(0.7)},
    {.key = "overlap_contention", .member = &P::overlapContention, .prior = share(0.7)},
    {.key = "p2p_exposed", .member = &P::p2pExposed, .prior = share(0.7)},
    {.key = "p2p_latency_ms", .member = &P::p2pLatency, .unit = kInMilli, .prior = ofTime(0.7)},
    {.key = "transfers", .member = &P::transfers, .required = false},
    {.key = "lazy_transfers", .member = &P::lazyTransfers, .required = false},
    {.key = "resharding", .member = &P::resharding, .required = false},
    {.key = "gradient_sync", .member = &P::gradientSync, .required = false},
    {.key = "reduces_whole", .member = &P::reducesWhole, .required = false},
    {.key = "gradient_bucket_mib", .member = &P::gradientBucket, .unit = kInMebi, .required = false},
    {.key = "bucket_parameters", .member = &P::bucketParameters, .required = false},
    {.key = "bucket_parameters_per_replica", .member = &P::bucketParametersPerReplica, .required = false},
    {.key = "shards_each_micro_batch", .member = &P::shardsEachMicroBatch, .required = false},
    {.key = "scatter_gather", .member = &P::scatterGather},
    {.key = "gradients_in_fp32", .member = &P::gradientsInFp32},
    {.key = "narrow_reduction", .member = &P::narrowReduction, .required = false},
    {.key = "narrow_parameter_gather", .member = &P::narrowParameterGather, .required = false},
    {.key = "scale_jitter", .member = &P::scaleJitter, .prior = ofTime(0.7)},
    {.key = "flash_attention", .member = &P::flashAttention},
    {.key = "fused_elementwise", .member = &P::fusedElementwise, .required = false},
    {.key = "offload_streams_gradients", .member = &P::offloadStreamsGradients, .required = false},
    {.key = "narrow_gradients_stay", .member = &P::narrowGradientsStay, .required = false},
    {.key = "narrow_caches", .member = &P::narrowCaches, .required = false},
    {.key = "narrow_activation_inputs", .member = &P::narrowActivationInputs, .required = false},
    {.key = "expert_outputs_stay", .member = &P::expertOutputsStay, .required = false},
    {.key = "optimizer_state_bytes", .member = &P::optimizerStateBytes},
    {.key = "gradient_copy_bytes", .member = &P::gradientCopyBytes},
    {.key = "flat_gradient_bytes", .member = &P::flatGradientBytes, .required = false},
    {.key = "reduce_buckets_gib", .member = &P::reduceBuckets, .unit = kInGibi, .required = false},
    // Context, collectives and allocator never hold more than this, nor does recomputation keep more layers alive.
    {.key = "reserve_gib", .member = &P::reserve, .unit = kInGibi, .prior = ofMemory(0.5, 12 * kGiB)},
    {.key = "logit_bytes", .member = &P::logitBytes, .prior = ofMemory(0.4)},
    {.key = "transient_layers", .member = &P::transientLayers, .prior = ofMemory(0.4, 4)},
    {.key = "range_low", .member = &P::rangeLow, .required = false, .positive = true},
    {.key = "range_high", .member = &P::rangeHigh, .required = false},
    {.key = "calibrated_on", .member = &P::calibratedOn, .required = false},
};

template <typename T>
constexpr bool kIsConstant = std::is_same_v<T, double> || std::is_same_v<T, Seconds> || std::is_same_v<T, Bytes>;

} // namespace

std::span<const SoftwareField> softwareFields()
{
    return kFields;
}

double number(const SoftwareProfile& profile, const SoftwareField& field)
{
    return std::visit(
        [&]<typename T>(SoftwareMember<T> member) {
            if constexpr (std::is_same_v<T, double>)
                return profile.*member;
            else if constexpr (kIsConstant<T>)
                return (profile.*member).value();
            else
                return std::numeric_limits<double>::quiet_NaN();
        },
        field.member);
}

void setNumber(SoftwareProfile& profile, const SoftwareField& field, double value)
{
    std::visit(
        [&]<typename T>(SoftwareMember<T> member) {
            if constexpr (kIsConstant<T>)
                profile.*member = T(value);
            else
                assert(false);
        },
        field.member);
}

} // namespace stratoplan::plan
