// SPDX-License-Identifier: Apache-2.0
// Seconds of computation: matrix products on a roofline with tile and wave quantization, attention kernels,
// memory-bound kernels.
#pragma once

#include "core/cost/machine.h"
#include "core/workload/workload.h"

namespace stratoplan::cost {

/// Bytes that an element moves through memory.
struct ProductElements {
    double operand = 2;
    double result = 2; ///< a gradient that is added to a sum in FP32 moves 8
};

/// One dense product m x n x k.
/// Compute and memory time are joined by a 4-norm; compute time is that of the best of five tile shapes in whole and
/// partial waves over the compute units, with a fixed depth cost per tile, and split-k where there are fewer tiles than
/// units. Form and constants: resources/docs/MODEL.md, "Matrix products". `kernels`, where the accelerator's were
/// measured, gives the depth and wave constants and the correction by shape. `experts` such products run as one: their
/// tiles fill the waves together.
[[nodiscard]] Seconds matmulSeconds(double m, double n, double k, FlopsPerSecond rate, BytesPerSecond memory,
    int computeUnits, ProductElements elements = {}, const cluster::MatmulKernels* kernels = nullptr,
    double experts = 1);

[[nodiscard]] Seconds seconds(
    const workload::Operator& op, const Machine& machine, const plan::SoftwareProfile& software);

/// How much faster fused attention runs forward in FP8 than in 16 bits: products of `headDim` twice over for each
/// score, beside one power of two (FlashAttention-3, arXiv 2407.08608, section 3.2), like products beside memory. Of
/// backward passes in FP8 no rate is published, and none is claimed. 1 where the machine does not know.
[[nodiscard]] double narrowAttentionGain(double headDim, const Machine& machine);

/// Computation of one pass.
struct ComputeSeconds {
    Seconds total{};
    Seconds attentionCore{};
    Seconds sharedExperts{};
    Seconds repeated{}; ///< what selective recomputation repeats
    Seconds weightGradient{}; ///< products that make gradients of weights
    Seconds lastProduct{}; ///< the last matrix product: what an early-stopping recomputation leaves out
};
[[nodiscard]] ComputeSeconds seconds(
    const workload::Pass& pass, const Machine& machine, const plan::SoftwareProfile& software);

} // namespace stratoplan::cost
