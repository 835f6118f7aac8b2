// SPDX-License-Identifier: Apache-2.0
// Measured cases as runs to fit; one way for the shipped profiles, for leaving groups out and for a person's own cases.
#pragma once

#include "core/calibration/calibration.h"
#include "core/validation/validation.h"

namespace stratoplan::calibration {

[[nodiscard]] std::vector<MeasuredRun> runsOf(const validation::CaseSet& cases);

/// Without those whose stack has no profile: the nearest one prices them, and they must not shape it.
[[nodiscard]] std::vector<MeasuredRun> runsOfKnownStacks(const validation::CaseSet& cases);

} // namespace stratoplan::calibration
