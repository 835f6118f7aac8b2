// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan.h"

#include <algorithm>

namespace stratoplan {

int microBatches(const Plan& plan)
{
    const long long perStep = static_cast<long long>(plan.strategy.dp) * plan.strategy.microBatch;
    if (perStep <= 0 || plan.training.globalBatch % perStep != 0)
        return 0;
    return static_cast<int>(plan.training.globalBatch / perStep);
}

int attentionLength(const Training& training)
{
    return std::min(training.documentLength.value_or(training.sequenceLength), training.sequenceLength);
}

Flops modelFlops(const Plan& plan)
{
    const int length = attentionLength(plan.training);
    return modelFlops(plan.model, length, double(plan.training.globalBatch) * plan.training.sequenceLength / length);
}

} // namespace stratoplan
