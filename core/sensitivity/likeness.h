// SPDX-License-Identifier: Apache-2.0
// How much of the error of two estimates is the same: runs that are alike are estimated too short, or too long,
// together.
#pragma once

#include "core/estimate/estimate.h"

namespace stratoplan::sensitivity {

/// The correlation of the errors of two runs with the same software, by the squared distance between them
/// (estimate::squaredDistance): what the residuals of pairs of measured cases have (resources/docs/SENSITIVITY.md;
/// `theEvidenceHasIt`). Of runs as alike as can be, `kShared` of the variance.
[[nodiscard]] double correlationAt(double squaredDistance);
inline constexpr double kShared = 0.7;

/// The share of a step that two plans do not spend alike: 0 to 1.
[[nodiscard]] double spentApart(const pricing::Breakdown& a, const pricing::Breakdown& b);

/// The correlation of the errors of two plans: 1 for the same plan; 0 with other software. What each run has for itself
/// counts in full once 10 % of their steps is spent apart, and below that by deviations in proportion: the less two
/// plans differ, the less do their errors.
[[nodiscard]] double likeness(
    const plan::Plan& a, const estimate::Estimate& ofA, const plan::Plan& b, const estimate::Estimate& ofB);

} // namespace stratoplan::sensitivity
