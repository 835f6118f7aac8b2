// SPDX-License-Identifier: GPL-3.0-or-later
// A plan as a list of named texts, and what differs between plans.
#pragma once

#include "core/plan/plan.h"

#include <QString>

#include <vector>

namespace stratoplan {

struct PlanField {
    QString label;
    QString text;
    bool operator==(const PlanField&) const = default;
};

/// Every input of a plan that a person can set, in the order of the form; always the same labels.
[[nodiscard]] std::vector<PlanField> planFields(const Plan& plan);

/// Indices into planFields() of the fields that are not the same in all `plans`.
[[nodiscard]] std::vector<std::size_t> differingFields(const std::vector<const Plan*>& plans);

/// One line for people: "GPT-3 175B on 1,024 × A100 SXM 80 GB".
[[nodiscard]] QString planTitle(const Plan& plan);
/// "TP 8 · PP 8 · DP 16 · VPP 3".
[[nodiscard]] QString strategyTitle(const Strategy& strategy);

} // namespace stratoplan
