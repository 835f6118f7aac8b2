// SPDX-License-Identifier: Apache-2.0
// Inside of the strategy pricer: the work of a micro-batch, and its computation once that is priced.
#pragma once

#include "core/estimate/stage_cost.h"

namespace stratoplan {

struct LoweredWork {
    MicroBatchWork work; ///< without its operators, once its computation is priced
    bool priced = false;
    MicroBatchCompute compute{};
    Seconds leastExperts{}; ///< both passes of a layer with experts, their products at the peak rate
};

void priceComputation(LoweredWork& lowered, const Plan& plan, const Machine& machine);

} // namespace stratoplan
