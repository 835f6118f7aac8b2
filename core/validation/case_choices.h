// SPDX-License-Identifier: Apache-2.0
// Micro-batch, virtual stages and recomputation that a source leaves open are what a competent person would have
// chosen: of the values under which the plan fits, those with the shortest estimated step.
#pragma once

#include "core/validation/case_plan.h"

#include <functional>

namespace stratoplan::validation {

/// Reads a record that leaves nothing of these open.
using PlanReader = std::function<tl::expected<CasePlan, std::string>(const CaseRecord& record)>;

/// The plan of the record, with what it leaves open chosen and noted as filled; `near` of the result spans the steps of
/// the values next to those. What a failed run left open is read by `read` alone: its choice was not one that fits.
[[nodiscard]] tl::expected<CasePlan, std::string> chosenPlan(const CaseRecord& record, const PlanReader& read);

} // namespace stratoplan::validation
