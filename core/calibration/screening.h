// SPDX-License-Identifier: Apache-2.0
// What no run of its plan can have measured: times and memory of another order than the estimate, mostly a unit gone
// wrong. Private to core/calibration.
#pragma once

#include "core/calibration/run_table.h"

namespace stratoplan::calibration {

/// A measurement so many times the estimate, or a part so small of it, is not one of the plan.
inline constexpr double kImplausible = 20;

/// Moves the runs that measured what their plan cannot to the faulty lines, in their order, with what was probably
/// meant. They are estimated with `software`, or with that of their plan.
void screenRuns(RunTable& table, const std::optional<plan::SoftwareProfile>& software);

} // namespace stratoplan::calibration
