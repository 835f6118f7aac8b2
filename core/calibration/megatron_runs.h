// SPDX-License-Identifier: Apache-2.0
// A Megatron training log as measured runs: the median step of each global batch, warm-up dropped, and the fullest
// rank.
#pragma once

#include "core/calibration/own_runs.h"

namespace stratoplan::calibration {

/// A start of the program counts as warmed up after this many iterations.
inline constexpr int kWarmUpIterations = 5;

/// Needs context.plan. Errors: a log without iterations, and what log and plan say differently.
[[nodiscard]] tl::expected<RunTable, UnusableText> readMegatronRuns(std::string_view text, const RunContext& context);

} // namespace stratoplan::calibration
