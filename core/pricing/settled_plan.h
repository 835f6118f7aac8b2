// SPDX-License-Identifier: Apache-2.0
// Inside of the pricing: a plan with a strategy, and what follows from both.
#pragma once

#include "core/plan/plan.h"
#include "core/pricing/divided_layers.h"

#include <memory>

namespace stratoplan::pricing {

/// The limit of a ZB-auto that leaves it open is found, and so is the best partition.
struct SettledPlan {
    plan::Plan plan;
    int microBatches = 0;
    double stretch = 1;
    int split = 0; ///< its number in the context: of what the strategy says of single stages itself; 0 = nothing
    std::shared_ptr<const DividedLayers> divided{}; ///< in space and time; null: as Megatron partitions them
    int division = 0; ///< the number of `divided` in the context; 0 = none
    bool isPossible = true; ///< its layers can be divided as the strategy says
};

} // namespace stratoplan::pricing
