// SPDX-License-Identifier: Apache-2.0
#include "core/capacity/capacity.h"

#include "core/cluster/node_kinds.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::capacity {

Capacity capacity(const plan::Plan& plan, const estimate::Estimate& estimate, const plan::CapacityInputs& inputs)
{
    const double ofStep = tokensPerStep(plan);
    Capacity result;
    if (!(inputs.tokens > 0) || !(ofStep > 0) || !(inputs.goodput > 0))
        return result;
    constexpr double kSecondsPerHour = 3600;
    result.steps = std::ceil(inputs.tokens / ofStep);
    const double hours = result.steps * estimate.step.value() / inputs.goodput / kSecondsPerHour;
    result.days = hours / 24;
    const int accelerators = acceleratorCount(plan.cluster);
    const int ranks = std::min(rankCount(plan.strategy), accelerators);
    result.idle = accelerators - ranks;
    result.acceleratorHours = hours * ranks;
    result.cost = result.acceleratorHours * inputs.pricePerAcceleratorHour;
    result.energyKwh = boardWatts(plan.cluster, ranks) * inputs.pue * hours / 1000;
    return result;
}

} // namespace stratoplan::capacity
