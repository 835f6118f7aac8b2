// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/kernel_tables.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::cluster {
namespace {

/// Where a value lies between two knots.
struct Place {
    std::size_t below = 0;
    double share = 0; ///< of the upper knot
};

Place place(std::span<const double> knots, double value)
{
    if (value <= knots.front())
        return {0, 0};
    if (value >= knots.back())
        return {knots.size() - 2, 1};
    std::size_t i = 0;
    while (value > knots[i + 1])
        ++i;
    return {i, (value - knots[i]) / (knots[i + 1] - knots[i])};
}

double mix(double a, double b, double share)
{
    return a + (b - a) * share;
}

/// Curves of `op` around a group size: the two measured neighbours, and where between them it lies (beyond 1 past the
/// last).
struct Neighbours {
    const CollectiveCurve* below = nullptr;
    const CollectiveCurve* above = nullptr;
    double share = 0;
};

/// Precondition: there is a curve of `op`.
Neighbours neighbours(std::span<const CollectiveCurve> curves, CollectiveOp op, int ranks)
{
    const auto first = std::ranges::lower_bound(curves, op, {}, &CollectiveCurve::op);
    const auto last = std::ranges::upper_bound(curves, op, {}, &CollectiveCurve::op);
    auto above = std::find_if(first, last, [&](const CollectiveCurve& curve) { return curve.ranks >= ranks; });
    if (above == last)
        --above;
    const auto below = above == first ? above : above - 1;
    if (below == above)
        return {&*below, &*above, 0};
    if (above->ranks == ranks)
        return {&*below, &*above, 1};
    return {&*below, &*above, std::log2(double(ranks) / below->ranks) / std::log2(double(above->ranks) / below->ranks)};
}

} // namespace

std::string_view key(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllReduce:
        return "all_reduce";
    case CollectiveOp::AllGather:
        return "all_gather";
    case CollectiveOp::ReduceScatter:
        return "reduce_scatter";
    case CollectiveOp::AllToAll:
        return "all_to_all";
    }
    return {};
}

const MatmulKernels* KernelTables::products(model::Precision precision) const
{
    for (const MatmulKernels& kernels : matmul)
        if (kernels.precision == precision)
            return &kernels;
    return nullptr;
}

double matmulCorrection(const MatmulKernels& kernels, double m, double n, double k)
{
    constexpr std::size_t width = kMatmulKnotsNK.size();
    const Place pm = place(kMatmulKnotsM, std::log2(m));
    const Place pn = place(kMatmulKnotsNK, std::log2(n));
    const Place pk = place(kMatmulKnotsNK, std::log2(k));
    const float* corner = kernels.correction.data() + (pm.below * width + pn.below) * width + pk.below;
    const auto alongK = [&](const float* knots) { return mix(knots[0], knots[1], pk.share); };
    const auto alongN = [&](const float* knots) { return mix(alongK(knots), alongK(knots + width), pn.share); };
    return mix(alongN(corner), alongN(corner + width * width), pm.share);
}

double attentionShape(const AttentionKernels& kernels, double sequence, double headDim)
{
    double relative = 1;
    if (kernels.headDims.size() == 1)
        relative = kernels.relative.front();
    else if (!kernels.headDims.empty()) {
        const Place dims = place(kernels.headDims, headDim);
        relative = mix(kernels.relative[dims.below], kernels.relative[dims.below + 1], dims.share);
    }
    return relative * sequence / (sequence + kernels.ramp);
}

Seconds collectiveSeconds(
    std::span<const CollectiveCurve> curves, CollectiveOp op, int ranks, Bytes bytes, BytesPerSecond rate)
{
    if (ranks <= 1)
        return {};
    const Neighbours around = neighbours(curves, op, ranks);
    const double inside = std::clamp(around.share, 0.0, 1.0);
    const auto grown = [&](Seconds a, Seconds b) {
        return std::max(a + (b - a) * std::max(0.0, around.share), Seconds{});
    };
    const Seconds latency = grown(around.below->latency, around.above->latency);
    const Seconds ramp = grown(around.below->ramp, around.above->ramp);
    const double half = mix(around.below->half.value(), around.above->half.value(), inside);
    const double share = mix(around.below->share, around.above->share, inside);
    const double passes = op == CollectiveOp::AllReduce ? 2 : 1;
    const Bytes wire = bytes * (passes * (ranks - 1) / ranks);
    return latency + ramp * (bytes.value() / (bytes.value() + half)) + wire / (rate * share);
}

} // namespace stratoplan::cluster
