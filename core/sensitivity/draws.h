// SPDX-License-Identifier: Apache-2.0
// The draws that find how uncertain an answer is: even in every dimension, and the same ones every time.
#pragma once

#include <cstddef>
#include <vector>

namespace stratoplan::sensitivity {

/// Deviates of the standard normal distribution, one a draw: the points of a Halton sequence in the prime base of the
/// dimension, its digits permuted by a fixed permutation (scrambled, so that dimensions of large bases are not
/// correlated; Owen, arXiv 1706.02808), each then moved to the middle of its n-th part of [0, 1) (latinised: Saka,
/// Gunzburger, Burkardt, Int. J. Numer. Anal. Model. 4, 2007). Each dimension by itself so has the percentiles of the
/// distribution exactly.
[[nodiscard]] std::vector<double> normalDraws(std::size_t draws, std::size_t dimension);

/// Of values in rising order, linear between those whose shares of the draws are (i + 1/2) / n. Precondition: any.
[[nodiscard]] double quantile(const std::vector<double>& rising, double share);

} // namespace stratoplan::sensitivity
