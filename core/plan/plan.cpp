// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan.h"

namespace stratoplan {

int microBatches(const Plan& plan)
{
    const long long perStep = static_cast<long long>(plan.strategy.dp) * plan.strategy.microBatch;
    if (perStep <= 0 || plan.training.globalBatch % perStep != 0)
        return 0;
    return static_cast<int>(plan.training.globalBatch / perStep);
}

} // namespace stratoplan
