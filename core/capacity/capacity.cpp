// SPDX-License-Identifier: Apache-2.0
#include "core/capacity/capacity.h"

#include <cmath>

namespace stratoplan {

namespace {

double boardWatts(const Cluster& cluster)
{
    double watts = 0;
    for (const NodeGroup& group : cluster.nodes)
        watts += group.accelerator.watts * group.acceleratorsPerNode * group.count;
    return watts;
}

} // namespace

Capacity capacity(const Plan& plan, const Estimate& estimate, const CapacityInputs& inputs)
{
    const double tokensPerStep = static_cast<double>(plan.training.globalBatch) * plan.training.sequenceLength;
    Capacity result;
    if (!(inputs.tokens > 0) || !(tokensPerStep > 0) || !(inputs.goodput > 0))
        return result;
    constexpr double kSecondsPerHour = 3600;
    result.steps = std::ceil(inputs.tokens / tokensPerStep);
    const double hours = result.steps * estimate.step.value() / inputs.goodput / kSecondsPerHour;
    result.days = hours / 24;
    // Idle accelerators of the cluster are paid for and powered as well.
    result.acceleratorHours = hours * acceleratorCount(plan.cluster);
    result.cost = result.acceleratorHours * inputs.pricePerAcceleratorHour;
    result.energyKwh = boardWatts(plan.cluster) * inputs.pue * hours / 1000;
    return result;
}

} // namespace stratoplan
