// SPDX-License-Identifier: Apache-2.0
// The arguments that a Megatron log prints, as a plan: the strategy and the training are what the arguments say, the
// cluster is the base plan's, and the model must be the same in both.
#pragma once

#include "core/calibration/megatron_log.h"
#include "core/calibration/run_faults.h"
#include "core/calibration/run_remarks.h"
#include "core/plan/plan.h"

namespace stratoplan::calibration {

struct ArgumentPlan {
    plan::Plan plan;
    std::vector<std::string> stated; ///< "tp=8"
    std::vector<std::string> filled; ///< "model=GPT-3 175B"
    std::vector<RunRemark> remarks; ///< on arguments that are taken more simply
    std::vector<RunFault> faults; ///< what arguments and plan say differently; arguments that cannot be read
};

/// Without arguments everything is the plan's.
[[nodiscard]] ArgumentPlan planOfArguments(const LogArguments& arguments, const plan::Plan& base);

} // namespace stratoplan::calibration
