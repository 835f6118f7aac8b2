// SPDX-License-Identifier: Apache-2.0
// Edits of the strategy that make an out-of-memory plan fit, or one whose layers cannot be divided as asked estimable.
#pragma once

#include "core/estimate/estimate.h"

#include <vector>

namespace stratoplan::estimate {

/// Single edits that fit, fastest first, at most three; each label says what it saves and what it costs:
/// "Use selective recomputation: −14.2 GiB, step +3.1 %". `current` is the plan's own estimate.
[[nodiscard]] std::vector<plan::Remedy> memoryRemedies(
    const plan::Plan& plan, const Estimate& current, const EstimateOptions& options);

/// Edits against a problem of the plan's tensor partition, nearest first, at most three; none of other problems. Plans
/// with them break no rule, and their layers can be divided as asked.
[[nodiscard]] std::vector<plan::Remedy> partitionRemedies(const plan::Plan& plan, const plan::Problem& problem);

} // namespace stratoplan::estimate
