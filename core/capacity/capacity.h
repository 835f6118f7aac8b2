// SPDX-License-Identifier: Apache-2.0
// From one step to the whole run: steps, days, accelerator-hours, money, energy.
#pragma once

#include "core/estimate/estimate.h"

namespace stratoplan {

struct Capacity {
    double steps = 0;
    double days = 0;
    double acceleratorHours = 0;
    double cost = 0;        ///< 0 if no price is given
    double energyKwh = 0;   ///< board power of all accelerators x PUE x time
    bool operator==(const Capacity&) const = default;
};

/// All zero if inputs.tokens is 0.
[[nodiscard]] Capacity capacity(const Plan& plan, const Estimate& estimate, const CapacityInputs& inputs);

} // namespace stratoplan
