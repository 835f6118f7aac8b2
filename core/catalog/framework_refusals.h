// SPDX-License-Identifier: Apache-2.0
// What resources/catalog/frameworks.json names and only code can say: predicates of a plan, and the values of the
// dimensions whose values a framework lists. Private to core/catalog.
#pragma once

#include "core/plan/plan.h"

#include <optional>
#include <span>
#include <string_view>

namespace stratoplan::catalog {

enum class FrameworkRule;

/// A predicate of plans that a framework cannot run.
struct Refusal {
    std::string_view key; ///< "refuses" in the file
    bool (*holds)(const plan::Plan&);
};
[[nodiscard]] std::span<const Refusal> refusals();

/// A dimension whose values a framework runs or not ("runs" in the file).
struct RuleValue {
    FrameworkRule rule;
    std::optional<int> (*fromKey)(std::string_view);
    int (*ofPlan)(const plan::Plan&); ///< below 0 where the plan leaves it moot
};
[[nodiscard]] const RuleValue* valueOf(FrameworkRule rule);

/// Whether stages have the layers that they get where none are stated.
[[nodiscard]] bool spreadsEvenly(const plan::Plan& plan);

} // namespace stratoplan::catalog
