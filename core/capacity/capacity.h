// SPDX-License-Identifier: Apache-2.0
// From one step to the whole run: steps, days, accelerator-hours, money, energy.
#pragma once

#include "core/estimate/estimate.h"

namespace stratoplan {

struct Capacity {
    double steps = 0;            ///< whole optimizer steps that consume the token budget
    double days = 0;             ///< wall time: steps x step time / goodput
    double acceleratorHours = 0; ///< of every accelerator of the cluster, used or idle
    double cost = 0;             ///< in the currency of the inputs; 0 if no price is given
    double energyKwh = 0;        ///< board power of all accelerators x PUE x wall time
    bool operator==(const Capacity&) const = default;
};

/// All zero if inputs.tokens, the tokens of a step or inputs.goodput is not positive.
[[nodiscard]] Capacity capacity(const Plan& plan, const Estimate& estimate, const CapacityInputs& inputs);

} // namespace stratoplan
