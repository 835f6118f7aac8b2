// SPDX-License-Identifier: Apache-2.0
// Seconds and bytes of one linear operator that a group divides in space and time. A step takes as long as its product
// or as what moves meanwhile, whichever is longer; what a phase makes in parts is summed up after it (PrimePar, ASPLOS
// 2024).
#pragma once

#include "core/cost/compute.h"
#include "core/partition/linear_moves.h"

#include <array>

namespace stratoplan::partition {

/// One micro-batch of one phase on each rank. Slices have to divide the operator evenly.
struct PhaseCost {
    Seconds compute{};
    Seconds ring{}; ///< of the moves, hidden or not
    Seconds exposed{}; ///< of them, beyond the products that they run beside
    Seconds allReduce{};
    Bytes ringBytes{}; ///< that a rank receives
    Bytes collectiveBytes{}; ///< that a rank sends in a ring
    [[nodiscard]] Seconds total() const { return compute + exposed + allReduce; }
};

/// What is stored and sent of each tensor, in bytes of an element.
struct ElementBytes {
    double value = 2; ///< of activations and their gradients, and of weights
    double weightGradient = 2;
};

/// What a rank keeps of an operator, gradients of weights and states of the optimizer apart.
struct LinearBytes {
    Bytes weight{};
    Bytes stash{}; ///< its input, from the forward phase to the gradient's
    Bytes buffers{}; ///< second copies of the blocks that move
};

/// What is asked of every operator of a plan.
struct LinearPricing {
    const cost::Machine& machine;
    const plan::SoftwareProfile& software;
    GroupPlace place;
    ElementBytes element;
    bool narrow = false; ///< products run in the low precision of FP8 and FP4 recipes
    bool castsInput = false; ///< in these its input is cast apart
};

[[nodiscard]] PhaseCost phaseCost(
    const LinearTraffic& traffic, Phase phase, const LinearSize& size, const LinearPricing& pricing);
/// The weight's way home from its forward phase, or back to its backward phase, beside a product of the same size.
[[nodiscard]] PhaseCost weightHome(const LinearTraffic& traffic, const LinearSize& size, const LinearPricing& pricing);
[[nodiscard]] LinearBytes linearBytes(
    const LinearTraffic& traffic, const LinearSize& size, const ElementBytes& element);

} // namespace stratoplan::partition
