// SPDX-License-Identifier: Apache-2.0
// Inside of check(): the rules without their remedies.
#pragma once

#include "core/plan/problem.h"

namespace stratoplan {

/// Every broken rule, in the order of the rules, without remedies.
[[nodiscard]] std::vector<Problem> brokenRules(const Plan& plan);

/// Edits of the strategy that mend `problem`, most sensible first, at most three. Each removes the problem and adds no
/// error to `all`.
[[nodiscard]] std::vector<Remedy> remediesFor(const Plan& plan, const Problem& problem, const std::vector<Problem>& all);

} // namespace stratoplan
