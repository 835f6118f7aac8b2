// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/calibration.h"

#include <array>

namespace stratoplan {
namespace {

template <auto Member>
double getMember(const SoftwareProfile& profile)
{
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(profile.*Member)>, double>)
        return profile.*Member;
    else
        return (profile.*Member).value();
}

template <auto Member>
void setMember(SoftwareProfile& profile, double value)
{
    profile.*Member = std::remove_cvref_t<decltype(profile.*Member)>(value);
}

template <auto Member>
constexpr CalibrationParameter parameter(std::string_view key, double spread, bool share = false,
    CalibrationTarget target = CalibrationTarget::StepTime, double maximum = 1e300, double unit = 1)
{
    return {key, target, share, spread, maximum, unit, &getMember<Member>, &setMember<Member>};
}

using P = SoftwareProfile;

constexpr double kNoMaximum = 1e300;

template <auto Member>
constexpr CalibrationParameter milliseconds(std::string_view key, double spread)
{
    return parameter<Member>(key, spread, false, CalibrationTarget::StepTime, kNoMaximum, 1e-3);
}

// Spreads say how far a constant may plausibly lie from its prior: a rate that kernels pin down within 10 %, a
// multiplier that absorbs unknown kernels within a factor of two.
constexpr std::array kParameters{
    parameter<&P::matmulFactor>("matmul_factor", 0.12, false, CalibrationTarget::StepTime, 1.25),
    parameter<&P::memoryFactor>("memory_factor", 0.08),
    parameter<&P::flashForward>("flash_forward", 0.3, true),
    parameter<&P::flashBackward>("flash_backward", 0.3, true),
    parameter<&P::unfusedAttention>("unfused_attention", 0.3, true),
    parameter<&P::scoreTraffic>("score_traffic", 0.5),
    // Of products of endless depth: the measured tables take off what casts and short depths cost, so that no real
    // product in FP8 reaches twice, none in FP4 four times the 16-bit rate.
    parameter<&P::fp8Factor>("fp8_factor", 0.1, false, CalibrationTarget::StepTime, 2.33),
    parameter<&P::nvfp4Factor>("nvfp4_factor", 0.15, false, CalibrationTarget::StepTime, 4.2),
    parameter<&P::elementwiseForward>("elementwise_forward", 0.7),
    parameter<&P::elementwiseBackward>("elementwise_backward", 0.7),
    parameter<&P::groupedMatmulFactor>(
        "grouped_matmul_factor", 0.3, false, CalibrationTarget::StepTime, 1.25), // no faster than plain ones
    parameter<&P::lossBytesForward>("loss_bytes_forward", 0.4),
    parameter<&P::lossBytesBackward>("loss_bytes_backward", 0.4),
    parameter<&P::gradientAccumulationBytes>("gradient_accumulation_bytes", 0.5),
    parameter<&P::optimizerBytes>("optimizer_bytes", 0.4),
    milliseconds<&P::optimizerFixed>("optimizer_fixed_ms", 0.8),
    milliseconds<&P::shardBroadcast>("shard_broadcast_ms", 0.5),
    parameter<&P::kernelLaunch>("kernel_launch_us", 0.5, false, CalibrationTarget::StepTime, kNoMaximum, 1e-6),
    milliseconds<&P::hostForward>("host_forward_ms", 0.5),
    milliseconds<&P::hostBackward>("host_backward_ms", 0.5),
    milliseconds<&P::hostPerTpDoubling>("host_per_tp_doubling_ms", 0.7),
    milliseconds<&P::hostPerExpert>("host_per_expert_ms", 0.7),
    parameter<&P::tpOverlap>("tp_overlap", 0.7, true),
    parameter<&P::epOverlap>("ep_overlap", 0.7, true),
    parameter<&P::dpOverlap>("dp_overlap", 0.7, true),
    parameter<&P::dpExposedFloor>("dp_exposed_floor", 0.7, true),
    parameter<&P::fsdpHidden>("fsdp_hidden", 0.7, true),
    parameter<&P::overlapContention>("overlap_contention", 0.7, true),
    parameter<&P::p2pExposed>("p2p_exposed", 0.7, true),
    milliseconds<&P::p2pLatency>("p2p_latency_ms", 0.7),
    parameter<&P::scaleJitter>("scale_jitter", 0.7),
    // Context, collectives and allocator never hold more than this, nor does recomputation keep more layers alive.
    parameter<&P::reserve>("reserve_gib", 0.5, false, CalibrationTarget::PeakMemory, 10 * kGiB, kGiB),
    parameter<&P::logitBytes>("logit_bytes", 0.4, false, CalibrationTarget::PeakMemory),
    parameter<&P::transientLayers>("transient_layers", 0.4, false, CalibrationTarget::PeakMemory, 4),
};

} // namespace

std::span<const CalibrationParameter> calibrationParameters()
{
    return kParameters;
}

} // namespace stratoplan
