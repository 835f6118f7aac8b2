// SPDX-License-Identifier: Apache-2.0
// What a fit to a person's own runs says of itself: the runs it rests on, how far its estimates are from them, whether
// a plan can use it. Private to core/calibration.
#pragma once

#include "core/calibration/fit_remarks.h"
#include "core/calibration/shipped.h"

namespace stratoplan::calibration {

/// Errors beyond which a fit does not explain its rows: of times, and of memory.
inline constexpr double kUnexplainedTime = 0.3;
inline constexpr double kUnexplainedMemory = 0.1;

/// Sets what the range of estimates with the profile needs: its base, the runs, and the range of their errors.
void describeRuns(const plan::SoftwareProfile& start, const std::vector<MeasuredRun>& runs, FittedProfile& fitted);

/// What the constants fitted do not explain.
[[nodiscard]] std::vector<FitFault> unexplained(const FittedProfile& fitted);

[[nodiscard]] std::vector<FitWarning> warningsOf(const FittedProfile& fitted, const std::vector<MeasuredRun>& runs);

/// The rule that the profile breaks, alone or with one of the runs, or nothing.
[[nodiscard]] std::optional<UnusableProfile> whyUnusable(
    const plan::SoftwareProfile& profile, const std::vector<MeasuredRun>& runs);

} // namespace stratoplan::calibration
