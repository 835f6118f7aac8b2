// SPDX-License-Identifier: Apache-2.0
// What the estimate does not cover.
#pragma once

#include "core/plan/plan.h"
#include "core/plan/problem.h"

#include <optional>
#include <vector>

namespace stratoplan::pricing {

/// Tensor-parallel ranks whose best partition in space and time is found in some 40 ms; that of more takes seconds.
inline constexpr int kQuicklyDivided = 16;

/// Why a group of tensor-parallel ranks cannot divide layers of sequences of so many tokens in space and time, whatever
/// the model; None where it can.
[[nodiscard]] plan::ProblemCause againstDivision(int tp, int cp, int sequenceLength);

/// Reasons (NotEstimable) why a valid plan cannot be priced; empty if it can.
[[nodiscard]] std::vector<plan::Problem> notEstimable(const plan::Plan& plan);

/// Of notEstimable(): that the plan names partitions of operators which its own partition does not use.
[[nodiscard]] std::optional<plan::Problem> unusedPartitions(const parallel::Strategy& strategy);

} // namespace stratoplan::pricing
