// SPDX-License-Identifier: Apache-2.0
// Measured kernels of one accelerator, thinned to what a plan needs of them: how the efficiency of matrix products
// depends on their shape, of attention on the sequence, and how long collectives inside the scale-up domain take by
// size and group. Magnitudes (sustained rates) stay with the accelerator and its link; the tables give the shape of the
// curves. resources/catalog/kernels.json holds them with their source; `stratoplan-cli calibrate --kernels` makes that
// file.
#pragma once

#include "core/model/precision.h"
#include "core/units/quantity.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::cluster {

/// How well a table fits the kernels it was made of: mean |predicted/measured - 1| over shapes of training size.
struct KernelFit {
    int kernels = 0;
    double error = 0;
    bool operator==(const KernelFit&) const = default;
};

/// Knots of the correction of matrix products, log2 of m, n and k. Beyond the outer ones the table is constant.
inline constexpr std::array kMatmulKnotsM{8.0, 10.0, 12.0, 15.0};
inline constexpr std::array kMatmulKnotsNK{7.0, 9.0, 11.0, 13.0, 16.0};
inline constexpr std::size_t kMatmulKnots = kMatmulKnotsM.size() * kMatmulKnotsNK.size() * kMatmulKnotsNK.size();

/// Matrix products in one precision: constants of the tile form (core/cost/compute.h) and what remains of the measured
/// times over that form, as natural logarithms on the knots, m slowest and k fastest, linear in between.
struct MatmulKernels {
    model::Precision precision = model::Precision::Bf16;
    FlopsPerSecond rate{}; ///< the most that products reach, at the clock of kernels too short for the power limit
    BytesPerSecond memory{}; ///< of short ones, as measured
    double tileDepth = 80; ///< k-steps that filling and draining one tile costs
    double wholeWaves = 0.3; ///< share of the last wave that no other work fills
    std::array<float, kMatmulKnots> correction{};
    KernelFit fit;
    bool operator==(const MatmulKernels&) const = default;
};

/// Logarithm by which a measured product of this shape takes longer than the tile form says.
[[nodiscard]] double matmulCorrection(const MatmulKernels& kernels, double m, double n, double k);

/// Fused attention, forward: seconds = FLOPs / (rate · relative(head dimension)) · (1 + ramp / sequence).
struct AttentionKernels {
    FlopsPerSecond rate{}; ///< head dimension 128, long sequences, as measured
    double ramp = 0; ///< sequence length at which half the rate is reached, tokens
    std::vector<double> headDims; ///< rising
    std::vector<double> relative; ///< rate over that of head dimension 128
    int version = 2; ///< of FlashAttention that was measured, or the one that the measured kernel is like
    KernelFit fit;
    bool operator==(const AttentionKernels&) const = default;
};

/// Share of the rate of long sequences at head dimension 128.
[[nodiscard]] double attentionShape(const AttentionKernels& kernels, double sequence, double headDim);

enum class CollectiveOp { AllReduce, AllGather, ReduceScatter, AllToAll };
inline constexpr std::array kCollectiveOps{
    CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll};
[[nodiscard]] std::string_view key(CollectiveOp op); // "all_reduce", "all_gather", "reduce_scatter", "all_to_all"

/// One collective over `ranks` ranks of a scale-up domain:
/// seconds = latency + ramp · bytes / (bytes + half) + wire bytes / (rate of the link · share).
/// Wire bytes per rank: bytes (n-1)/n, twice for all-reduce; bytes: gathered or reduced buffer, or the local one of
/// all-to-all.
struct CollectiveCurve {
    CollectiveOp op = CollectiveOp::AllReduce;
    int ranks = 8;
    Seconds latency{};
    Seconds ramp{};
    Bytes half{};
    double share = 1; ///< of the bus bandwidth of all-gather over the most ranks
    KernelFit fit;
    bool operator==(const CollectiveCurve&) const = default;
};

inline constexpr double kTypicalGroupedFactor = 0.8; ///< where expert products were not measured

struct KernelTables {
    std::string id; ///< "a100-sxm"
    std::string name;
    std::string source;
    std::vector<MatmulKernels> matmul;
    AttentionKernels attention;
    double groupedFactor = kTypicalGroupedFactor; ///< rate of expert products over that of plain ones
    BytesPerSecond bus{}; ///< bus bandwidth of all-gather over the most ranks, as measured
    std::vector<CollectiveCurve> collectives; ///< by op, then by rising ranks
    bool operator==(const KernelTables&) const = default;

    /// The products of a precision, or nullptr.
    [[nodiscard]] const MatmulKernels* products(model::Precision precision) const;
};

/// Seconds of a collective over `ranks` ranks of one scale-up domain whose links carry `rate` per rank and direction.
/// Between measured group sizes the constants are linear in log2(ranks); beyond the largest, latencies grow with it.
[[nodiscard]] Seconds collectiveSeconds(
    std::span<const CollectiveCurve> curves, CollectiveOp op, int ranks, Bytes bytes, BytesPerSecond rate);

} // namespace stratoplan::cluster
