// SPDX-License-Identifier: Apache-2.0
// The arguments that a Megatron log prints, as a plan: the strategy and the training are what the arguments say, the
// cluster is the base plan's, and the model must be the same in both.
#pragma once

#include "core/calibration/megatron_log.h"
#include "core/exchange/document.h"

namespace stratoplan::calibration {

struct ArgumentPlan {
    plan::Plan plan;
    std::vector<std::string> stated; ///< "tp=8"
    std::vector<std::string> filled; ///< "model=GPT-3 175B"
    std::vector<std::string> remarks; ///< sentences on arguments that are taken more simply
    exchange::DocumentErrors
        errors; ///< what arguments and plan say differently, each naming both; arguments that cannot be read
};

/// `file` and `planName` are for the messages. Without arguments everything is the plan's.
[[nodiscard]] ArgumentPlan planOfArguments(
    const LogArguments& arguments, const plan::Plan& base, std::string_view file, std::string_view planName);

} // namespace stratoplan::calibration
