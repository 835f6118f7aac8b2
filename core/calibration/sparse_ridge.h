// SPDX-License-Identifier: Apache-2.0
// Linear least squares of many sparse rows, for tables on knots. Private to core/calibration.
#pragma once

#include <cstddef>
#include <vector>

namespace stratoplan::calibration::detail {

/// Weights z of sum_j z_j a_ij ~ y_i by iteratively reweighted least squares (soft L1 beyond `noise`) with a ridge of
/// `ridge` pulling every weight to zero. `columns` and `values` hold `width` entries for each row.
[[nodiscard]] std::vector<double> sparseRidge(const std::vector<int>& columns, const std::vector<double>& values,
    std::size_t width, const std::vector<double>& y, std::size_t unknowns, double noise, double ridge);

} // namespace stratoplan::calibration::detail
