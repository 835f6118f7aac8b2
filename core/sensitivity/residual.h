// SPDX-License-Identifier: Apache-2.0
// What the draws of inputs leave unexplained of a measured range: together they have its percentiles.
#pragma once

#include <vector>

namespace stratoplan::sensitivity {

/// Logarithms, at the tenth and the ninetieth percentile of what is left; low <= 0 <= high.
struct Residual {
    double low = 0, high = 0;
};
/// Of a standard deviate: each half is of a normal distribution of its own.
[[nodiscard]] double residualAt(const Residual& residual, double normal);

/// The residual with which the sum of draws and residual has `low` and `high` as its tenth and ninetieth percentile;
/// none on a side on which the draws reach so far by themselves. `explained` and `normals`: of each draw, logarithms
/// and standard deviates.
[[nodiscard]] Residual residualOf(
    const std::vector<double>& explained, const std::vector<double>& normals, double low, double high);

} // namespace stratoplan::sensitivity
