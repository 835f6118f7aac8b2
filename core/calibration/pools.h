// SPDX-License-Identifier: Apache-2.0
// Partial pooling of the shipped profiles: a few constants are fitted, to all sources of one code base and time
// together, and pulled towards their priors, which come from documents and measured kernels alone. A source has none of
// its own: how far it lies off widens the ranges (core/estimate/evidence.h). Private to core/calibration.
#pragma once

#include "core/calibration/calibration.h"

#include <vector>

namespace stratoplan::calibration {

inline constexpr int kFewestRows = 6; ///< a pool with fewer measured rows keeps its priors

/// The priors that are fitted together, each pool in their order, one of its own where a profile has no like.
[[nodiscard]] std::vector<std::vector<plan::SoftwareProfile>> pools(
    const std::vector<plan::SoftwareProfile>& priors, plan::CalibrationTarget target);

/// Which constants a pool is fitted by, and how far they may lie from their priors.
[[nodiscard]] CalibrationOptions poolOptions(plan::CalibrationTarget target);

/// With weights such that no source counts for more than a few rows of a pool: what its machines and releases have of
/// their own is in every one of its rows.
[[nodiscard]] std::vector<MeasuredRun> weighed(
    std::vector<MeasuredRun> runs, const std::vector<plan::SoftwareProfile>& priors, plan::CalibrationTarget target);

} // namespace stratoplan::calibration
