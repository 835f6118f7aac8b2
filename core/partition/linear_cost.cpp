// SPDX-License-Identifier: Apache-2.0
#include "core/partition/linear_cost.h"

#include <algorithm>
#include <bit>

namespace stratoplan::partition {
namespace {

/// The product of one step on one rank: rows and columns of what it makes, and what it sums over.
workload::Operator stepProduct(
    const LinearTraffic& traffic, Phase phase, const LinearSize& size, const LinearPricing& pricing)
{
    const auto local = [&](Dimension dimension) {
        return size.along(dimension) / traffic.slices[std::size_t(dimension)];
    };
    const double tokens = local(Dimension::B) * local(Dimension::M);
    const double in = local(Dimension::N), out = local(Dimension::K);
    workload::Operator product;
    product.kind = workload::OperatorKind::Matmul;
    product.m = phase == Phase::Gradient ? in : tokens;
    product.n = phase == Phase::Backward ? in : out;
    product.k = phase == Phase::Forward ? in : phase == Phase::Backward ? out : tokens;
    product.flops = Flops(2 * tokens * in * out);
    product.narrow = pricing.narrow;
    if (phase == Phase::Backward || (phase == Phase::Forward && pricing.castsInput))
        product.cast = product.m * product.k;
    product.backward = phase != Phase::Forward;
    product.weightGradient = phase == Phase::Gradient;
    return product;
}

Bytes blockBytes(
    const LinearTraffic& traffic, Tensor tensor, Phase phase, const LinearSize& size, const ElementBytes& element)
{
    const bool sums = tensor == Tensor::Weight && phase == Phase::Gradient;
    return Bytes(
        elements(tensor, size) / traffic.blocks[std::size_t(tensor)] * (sums ? element.weightGradient : element.value));
}

} // namespace

PhaseCost phaseCost(const LinearTraffic& traffic, Phase phase, const LinearSize& size, const LinearPricing& pricing)
{
    PhaseCost cost;
    const Seconds product = seconds(stepProduct(traffic, phase, size, pricing), pricing.machine, pricing.software);
    cost.compute = product * traffic.steps;
    std::vector<LinkLoad> loads(std::size_t(traffic.steps));
    for (const LinearTraffic::Travel& move : traffic.travels[std::size_t(phase)]) {
        const Bytes block = blockBytes(traffic, move.tensor, phase, size, pricing.element);
        loads[std::size_t(move.step)].add(move.blocks, block);
        cost.ringBytes += block;
    }
    for (const LinkLoad& load : loads) {
        const Seconds travel = seconds(pricing.place, load);
        cost.ring += travel;
        cost.exposed += std::max(Seconds{}, travel - product);
    }
    if (const unsigned bits = traffic.reducedBits[std::size_t(phase)]; bits != 0) {
        const Bytes block = blockBytes(traffic, result(phase), phase, size, pricing.element);
        const double ranks = 1 << std::popcount(bits);
        cost.allReduce = allReduce(pricing.place.topology, spanOfBits(pricing.place.span, bits), block);
        cost.collectiveBytes = block * (2 * (ranks - 1) / ranks);
    }
    return cost;
}

PhaseCost weightHome(const LinearTraffic& traffic, const LinearSize& size, const LinearPricing& pricing)
{
    PhaseCost cost;
    if (traffic.weightHome == LinkShares{})
        return cost;
    const Seconds product =
        seconds(stepProduct(traffic, Phase::Forward, size, pricing), pricing.machine, pricing.software);
    LinkLoad load;
    cost.ringBytes = blockBytes(traffic, Tensor::Weight, Phase::Forward, size, pricing.element);
    load.add(traffic.weightHome, cost.ringBytes);
    cost.ring = seconds(pricing.place, load);
    cost.exposed = std::max(Seconds{}, cost.ring - product);
    return cost;
}

LinearBytes linearBytes(const LinearTraffic& traffic, const LinearSize& size, const ElementBytes& element)
{
    const auto block = [&](Tensor tensor, Phase phase) { return blockBytes(traffic, tensor, phase, size, element); };
    LinearBytes bytes{block(Tensor::Weight, Phase::Forward), block(Tensor::Input, Phase::Forward), {}};
    if (traffic.steps == 1)
        return bytes;
    // Of the phase that moves most at once: the two factors of its product, or the sums that the weight's gradient is
    // added to.
    bytes.buffers = block(Tensor::Weight, Phase::Gradient);
    for (const Phase phase : kPhases) {
        Bytes moving{};
        for (const Tensor tensor : kTensors)
            if (tensor != result(phase))
                moving += block(tensor, phase);
        bytes.buffers = std::max(bytes.buffers, moving);
    }
    return bytes;
}

} // namespace stratoplan::partition
