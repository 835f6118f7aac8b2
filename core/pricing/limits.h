// SPDX-License-Identifier: Apache-2.0
// What the estimate does not cover.
#pragma once

#include "core/plan/plan.h"
#include "core/plan/problem.h"

#include <vector>

namespace stratoplan::pricing {

/// Reasons (NotEstimable) why a valid plan cannot be priced; empty if it can.
[[nodiscard]] std::vector<plan::Problem> notEstimable(const plan::Plan& plan);

} // namespace stratoplan::pricing
