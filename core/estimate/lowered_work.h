// SPDX-License-Identifier: Apache-2.0
// Inside of the strategy pricer: the work of a micro-batch, and its computation once that is priced.
#pragma once

#include "core/estimate/stage_cost.h"

#include <vector>

namespace stratoplan {

struct LoweredWork {
    MicroBatchWork work; ///< without its operators, once its computation is priced
    bool priced = false;
    MicroBatchCompute compute{};
    Seconds besideExperts{}; ///< both passes of a layer with experts, without their products
    Seconds expertsAtPeak{}; ///< these at the peak rate, whatever their shape
    std::vector<Operator> expertProducts{}; ///< of the forward pass: gate and up, down
};

void priceComputation(LoweredWork& lowered, const Plan& plan, const Machine& machine);

/// Products of the experts of a layer, both passes, when they are divided `ep` ways and each `etp` ways; `undivided` is the work
/// without either. Powers of two only: by them sizes are divided exactly, so that the shapes are those of the divided work.
[[nodiscard]] Seconds expertSeconds(const LoweredWork& undivided, int ep, int etp, const Machine& machine, const SoftwareProfile& software);

} // namespace stratoplan
