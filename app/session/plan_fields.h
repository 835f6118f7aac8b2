// SPDX-License-Identifier: GPL-3.0-or-later
// A plan as a list of named texts, and what differs between plans.
#pragma once

#include "core/plan/plan.h"

#include <QString>

#include <vector>

namespace stratoplan::session {

enum class PlanPart { Model, Cluster, Training, Strategy, Run };
/// "Model"
[[nodiscard]] QString planPartText(PlanPart part);

struct PlanField {
    PlanPart part = PlanPart::Model;
    QString label;
    QString text;
    bool usual = false; ///< as in most plans: none, off, 1; a list that wants to be short leaves it out
    bool operator==(const PlanField&) const = default;
};

/// Every input of a plan, in the order of the form; always the same labels.
[[nodiscard]] std::vector<PlanField> planFields(const plan::Plan& plan);

/// Indices into planFields() of the fields that are not the same in all `plans`.
[[nodiscard]] std::vector<std::size_t> differingFields(const std::vector<const plan::Plan*>& plans);

/// One line for people: "GPT-3 175B on 1,024 × A100 SXM 80 GB".
[[nodiscard]] QString planTitle(const plan::Plan& plan);
/// "TP 8 · PP 8 · DP 16 · VPP 3".
[[nodiscard]] QString strategyTitle(const parallel::Strategy& strategy);

} // namespace stratoplan::session
