// SPDX-License-Identifier: Apache-2.0
// Pricing: what operators and collectives cost in seconds on this cluster under this software, and what a stage keeps
// in memory. Machine gathers every rate the prices depend on.
#pragma once

#include "core/catalog/catalog.h"
#include "core/cluster/cluster.h"

#include <cstddef>
#include <vector>

namespace stratoplan::cost {

struct Machine {
    FlopsPerSecond matmul{}; ///< sustained 16-bit (or FP32) matrix rate
    double narrowFactor = 1; ///< speed-up of the products that run in FP8 or FP4
    FlopsPerSecond peak{}; ///< dense peak at the training precision: the base of MFU
    FlopsPerSecond widePeak{}; ///< that of the products which stay in 16 bits (or FP32)
    BytesPerSecond memory{}; ///< sustained
    double elementBytes = 2; ///< of a stored activation or weight
    double narrowBytes = 1; ///< of an operand in FP8 or FP4
    double castBytes = 0; ///< through memory, to cast an element to FP8 or FP4 for a product and for its gradients
    double gradientSumBytes = 0; ///< that a product which adds its weight gradient to the sum over micro-batches moves
                                 ///< an element, read and written; 0 = they are added up apart
    BytesPerSecond hostLink{}; ///< of one accelerator to host memory, each direction
    BytesPerSecond hostMemory{}; ///< its share of the host's memory bandwidth
    Bytes hostCapacity{}; ///< its share of the host's memory
    int computeUnits = 0;
    FlopsPerSecond narrowAttention{}; ///< peak of attention in FP8
    FlopsPerSecond exponentials{}; ///< powers of two
    double flashForward = 1; ///< rate of the fused attention kernel asked for over that of the usual one
    double flashBackward = 1;
    const cluster::KernelTables* kernels =
        nullptr; ///< measured on this accelerator or its like; not owned, may be null
    const cluster::MatmulKernels* wideProducts = nullptr; ///< its 16-bit matrix products
    const cluster::MatmulKernels* narrowProducts = nullptr; ///< its FP8 or FP4 ones
    cluster::Topology topology;
    int domain = 1; ///< accelerators of one scale-up domain
};

/// With the measured kernels that the plan's accelerators and links name in the catalogue; what it does not have
/// counts as not measured. Refers to it. Precondition: check(plan) has no errors. Unlike node groups take the slowest
/// value of each kind.
[[nodiscard]] Machine machine(const plan::Plan& plan, const catalog::Catalog& catalog);
/// Of some of its node groups, by place, which take part.
[[nodiscard]] Machine machine(
    const plan::Plan& plan, const catalog::Catalog& catalog, const std::vector<std::size_t>& groups);

} // namespace stratoplan::cost
