// SPDX-License-Identifier: GPL-3.0-or-later
// Plans and estimates as text for people.
#pragma once

#include "core/estimate/estimate.h"

#include <string>

namespace stratoplan::cli {

/// Model, cluster, training and strategy, a line each.
[[nodiscard]] std::string describePlan(const Plan& plan);
/// "TP 8 · PP 8 · DP 16 · …"; degrees of 1 that mean "not used" are left out.
[[nodiscard]] std::string describeStrategy(const Strategy& strategy);
/// Verdict, breakdown, memory by stage, problems.
[[nodiscard]] std::string describeEstimate(const Plan& plan, const Estimate& estimate);

} // namespace stratoplan::cli
