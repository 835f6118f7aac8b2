// SPDX-License-Identifier: Apache-2.0
// A plan that runs what a search found.
#pragma once

#include "core/plan/plan.h"
#include "core/search/front.h"

#include <utility>

namespace stratoplan::search {

/// The plan with the strategy and the precision that were found.
[[nodiscard]] inline plan::Plan planWith(plan::Plan plan, const FoundStrategy& found)
{
    plan.strategy = found.strategy;
    plan.training.precision = found.precision;
    return plan;
}

} // namespace stratoplan::search
