// SPDX-License-Identifier: Apache-2.0
// Whether a space holds a strategy, or one that differs from it in nothing that is priced.
#pragma once

#include "core/model/precision.h"
#include "core/plan/plan.h"
#include "core/plan/search_space.h"
#include "core/space/schedules.h"

#include <optional>
#include <string>

namespace stratoplan {

/// What keeps a strategy out of the space, the first such dimension: "TP 3", "schedule dualpipe, which has no closed
/// form". Nothing: the space holds it. Precondition: check() and notEstimable() find no error in the plan,
/// but for its strategy, and the strategy is legal.
[[nodiscard]] std::optional<std::string> outside(
    const Plan& plan, const SearchSpace& space, Schedules schedules, const Strategy& strategy, Precision precision);

} // namespace stratoplan
