// SPDX-License-Identifier: Apache-2.0
// From one step to the whole run: steps, days, accelerator-hours, money, energy. What counts is what the strategy uses:
// nodes that it leaves idle are given back, as the objectives of a search have it (core/plan/search_settings.h).
#pragma once

#include "core/estimate/estimate.h"

namespace stratoplan::capacity {

struct Capacity {
    double steps = 0; ///< whole optimizer steps that consume the token budget
    double days = 0; ///< wall time: steps x step time / goodput
    double acceleratorHours = 0; ///< of the accelerators that the strategy uses
    int idle = 0; ///< accelerators that it does not
    double cost = 0; ///< in the currency of the inputs; 0 if no price is given
    double energyKwh = 0; ///< board power of the same x PUE x wall time
    bool operator==(const Capacity&) const = default;
};

/// All zero if inputs.tokens, the tokens of a step or inputs.goodput is not positive.
[[nodiscard]] Capacity capacity(
    const plan::Plan& plan, const estimate::Estimate& estimate, const plan::CapacityInputs& inputs);

} // namespace stratoplan::capacity
