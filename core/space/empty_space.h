// SPDX-License-Identifier: Apache-2.0
// Why a space holds no strategy at all.
#pragma once

#include "core/plan/plan.h"
#include "core/plan/search_space.h"
#include "core/space/schedules.h"

#include <vector>

namespace stratoplan {

/// The dimensions whose values leave nothing: each one that by itself, were it free, would let some strategy in, with
/// the rule that its values break; or, where no single one would, all that the space restricts. Empty: the space holds
/// strategies. Precondition: check() and notEstimable() find no
/// error in the plan, but for its strategy.
[[nodiscard]] std::vector<FixedDimension> whyEmpty(const Plan& plan, const SearchSpace& space, Schedules schedules);

} // namespace stratoplan
