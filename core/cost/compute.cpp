// SPDX-License-Identifier: Apache-2.0
#include "core/cost/compute.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::cost {
namespace {

struct Tile {
    double m, n, efficiency;
};

// Shapes and relative efficiencies of the tiles that matrix libraries choose among; fitted on measured A100 kernels.
constexpr std::array kTiles{
    Tile{256, 128, 1.0}, Tile{128, 128, 0.95}, Tile{128, 64, 0.82}, Tile{64, 128, 0.82}, Tile{64, 64, 0.62}};
constexpr double kMinimumSplit = 1024; // shortest k that one part of a split-k product works on

double waves(double tiles, double units, double k, double wholeWaves)
{
    const double filled = tiles / units;
    if (filled >= 1)
        return wholeWaves * std::ceil(filled) + (1 - wholeWaves) * filled;
    const double parts = std::clamp(std::floor(std::min(1 / filled, k / kMinimumSplit)), 1.0, 64.0);
    return 1 / parts;
}

double headDimFactor(double headDim)
{
    if (headDim >= 128)
        return 1;
    if (headDim >= 96)
        return 0.92 + 0.08 * (headDim - 96) / 32;
    return std::max(0.5, 0.85 + 0.07 * (headDim - 64) / 32);
}

/// What runs side by side, the longer one hiding most of the other.
double besideEachOther(double a, double b)
{
    const double a2 = a * a, b2 = b * b;
    return std::sqrt(std::sqrt(a2 * a2 + b2 * b2));
}

} // namespace

double narrowAttentionGain(double headDim, const Machine& machine)
{
    if (machine.exponentials.value() <= 0 || machine.widePeak.value() <= 0 || machine.narrowAttention.value() <= 0)
        return 1;
    const double flops = 4 * headDim, exponential = 1 / machine.exponentials.value();
    return besideEachOther(flops / machine.widePeak.value(), exponential)
        / besideEachOther(flops / machine.narrowAttention.value(), exponential);
}

Seconds matmulSeconds(double m, double n, double k, FlopsPerSecond rate, BytesPerSecond memory, int computeUnits,
    ProductElements elements, const cluster::MatmulKernels* kernels, double experts)
{
    static const cluster::MatmulKernels typical; // of accelerators whose kernels were not measured
    const cluster::MatmulKernels& constants = kernels != nullptr ? *kernels : typical;
    const double bytes = experts * (elements.operand * (m * k + n * k) + elements.result * m * n);
    const double memoryTime = bytes / memory.value();
    double computeTime = 2 * experts * m * n * (k + constants.tileDepth) / rate.value();
    if (computeUnits > 0) {
        const double units = computeUnits;
        double best = INFINITY;
        for (const Tile& tile : kTiles) {
            const double tiles = experts * std::ceil(m / tile.m) * std::ceil(n / tile.n);
            best = std::min(best, waves(tiles, units, k, constants.wholeWaves) * tile.m * tile.n / tile.efficiency);
        }
        computeTime = best * 2 * (k + constants.tileDepth) * units / rate.value();
    }
    const double form = besideEachOther(computeTime, memoryTime);
    return Seconds(kernels != nullptr ? form * std::exp(matmulCorrection(*kernels, experts * m, n, k)) : form);
}

namespace {

Seconds productSeconds(const workload::Operator& op, const Machine& machine)
{
    const FlopsPerSecond rate = op.narrow ? machine.matmul * machine.narrowFactor : machine.matmul;
    const bool narrow = op.narrow && machine.narrowFactor != 1;
    const cluster::MatmulKernels* kernels = narrow ? machine.narrowProducts : machine.wideProducts;
    ProductElements elements{narrow ? machine.narrowBytes : machine.elementBytes, machine.elementBytes};
    if (op.weightGradient && machine.gradientSumBytes > 0)
        elements.result = machine.gradientSumBytes;
    return matmulSeconds(op.m, op.n, op.k, rate, machine.memory, machine.computeUnits, elements, kernels, op.batch);
}

/// Whatever a table and a stack's factors say, no product passes the peak of its precision.
Seconds belowPeak(Seconds time, const workload::Operator& op, const Machine& machine)
{
    const FlopsPerSecond peak = op.narrow ? machine.peak : machine.widePeak;
    return peak.value() > 0 ? std::max(time, op.flops / peak) : time;
}

/// What casts its operands, a kernel apart.
Seconds castSeconds(const workload::Operator& op, const Machine& machine)
{
    return op.narrow ? Bytes(op.cast * machine.castBytes) / machine.memory : Seconds{};
}

/// Share of the asymptotic rate of fused attention: by sequence and head dimension as measured, by head dimension alone
/// otherwise.
double flashShape(const workload::Operator& op, const Machine& machine)
{
    return machine.kernels != nullptr ? attentionShape(machine.kernels->attention, op.n, op.k) : headDimFactor(op.k);
}

} // namespace

namespace {

Seconds wholeSeconds(const workload::Operator& op, const Machine& machine, const plan::SoftwareProfile& software)
{
    switch (op.kind) {
    case workload::OperatorKind::Matmul:
        return belowPeak(productSeconds(op, machine), op, machine) + castSeconds(op, machine) + software.kernelLaunch;
    case workload::OperatorKind::GroupedMatmul: {
        const double measured =
            machine.kernels != nullptr ? machine.kernels->groupedFactor : cluster::kTypicalGroupedFactor;
        const Seconds alone = productSeconds(op, machine) * (1 / (measured * software.groupedMatmulFactor));
        return belowPeak(alone, op, machine) + castSeconds(op, machine) + software.kernelLaunch;
    }
    case workload::OperatorKind::FlashAttention: {
        const double share =
            op.backward ? software.flashBackward * machine.flashBackward : software.flashForward * machine.flashForward;
        const double gain = op.narrow && !op.backward ? narrowAttentionGain(op.k, machine) : 1;
        return op.flops / (machine.matmul * (share * gain * flashShape(op, machine))) + software.kernelLaunch;
    }
    case workload::OperatorKind::BatchedMatmul: {
        // Tensor cores need head dimensions that are multiples of 8: measured at a seventh of the rate otherwise
        // (BigScience).
        const double alignment = std::fmod(op.k, 8) == 0 ? 1 : 0.14;
        return op.flops / (machine.matmul * (software.unfusedAttention * alignment)) + 2 * software.kernelLaunch;
    }
    case workload::OperatorKind::Elementwise:
        return op.traffic * (op.backward ? software.elementwiseBackward : software.elementwiseForward) / machine.memory;
    case workload::OperatorKind::ScoreTraffic:
        return op.traffic * software.scoreTraffic / machine.memory;
    case workload::OperatorKind::Streaming:
        return op.traffic / machine.memory;
    }
    return {};
}

} // namespace

Seconds seconds(const workload::Operator& op, const Machine& machine, const plan::SoftwareProfile& software)
{
    return (wholeSeconds(op, machine, software) + software.kernelLaunch * op.launches) * op.share;
}

ComputeSeconds seconds(const workload::Pass& pass, const Machine& machine, const plan::SoftwareProfile& software)
{
    ComputeSeconds result;
    Seconds ends{};
    for (const workload::Operator& op : pass.operators) {
        const Seconds time = seconds(op, machine, software);
        result.total += time;
        result.repeated += time * op.repeated;
        if (op.attentionCore)
            result.attentionCore += time;
        if (op.sharedExpert)
            result.sharedExperts += time;
        if (op.weightGradient)
            result.weightGradient += time;
        if (op.kind == workload::OperatorKind::Matmul || op.kind == workload::OperatorKind::GroupedMatmul)
            result.lastProduct = time;
        if (op.endsLayer)
            ends += time;
    }
    if (ends.value() > 0)
        result.lastProduct = ends;
    return result;
}

} // namespace stratoplan::cost
