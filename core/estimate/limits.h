// SPDX-License-Identifier: Apache-2.0
// What the estimate does not cover, and where it goes beyond what was measured.
#pragma once

#include "core/plan/plan.h"
#include "core/plan/problem.h"

#include <string>
#include <vector>

namespace stratoplan {

/// Reasons (NotEstimable) why a valid plan cannot be priced; empty if it can.
[[nodiscard]] std::vector<Problem> notEstimable(const Plan& plan);

/// Sentences on where the estimate extrapolates beyond measured cases.
[[nodiscard]] std::vector<std::string> extrapolations(const Plan& plan);

} // namespace stratoplan
