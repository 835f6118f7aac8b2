// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of the whole run as a list of named texts, as plan_fields.h has the plan.
#pragma once

#include "app/session/plan_fields.h"

namespace stratoplan::session {

/// Every input of the run of a plan, in the order of the form; always the same labels. Prices that nobody states are
/// those of the catalogue.
[[nodiscard]] std::vector<PlanField> runFields(const plan::Plan& plan, const plan::CapacityInputs& inputs);

} // namespace stratoplan::session
