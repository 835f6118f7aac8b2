// SPDX-License-Identifier: Apache-2.0
// Edits of the strategy that make an out-of-memory plan fit.
#pragma once

#include "core/estimate/estimate.h"

#include <vector>

namespace stratoplan::estimate {

/// Single edits that fit, fastest first, at most three; each label says what it saves and what it costs:
/// "Use selective recomputation: −14.2 GiB, step +3.1 %". `current` is the plan's own estimate.
[[nodiscard]] std::vector<plan::Remedy> memoryRemedies(
    const plan::Plan& plan, const Estimate& current, const EstimateOptions& options);

} // namespace stratoplan::estimate
