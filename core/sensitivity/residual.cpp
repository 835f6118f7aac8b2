// SPDX-License-Identifier: Apache-2.0
#include "core/sensitivity/residual.h"

#include "core/capacity/spread.h"
#include "core/sensitivity/draws.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan::sensitivity {
namespace {

constexpr double kTenth = 0.1, kOneSide = 0.9;

double quantileOfSum(
    const std::vector<double>& explained, const std::vector<double>& normals, const Residual& residual, double share)
{
    std::vector<double> sum(explained.size());
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] = explained[i] + residualAt(residual, normals[i]);
    std::ranges::sort(sum);
    return quantile(sum, share);
}

/// The least of [0, most] at which something that rises with it is true; 0 if it is there already.
template <class Reached>
double leastOf(double most, Reached reached)
{
    if (reached(0.0) || !(most > 0))
        return 0;
    double under = 0, over = most;
    while (!reached(over) && over < 1e3 * most)
        under = std::exchange(over, 2 * over);
    constexpr int kHalvings = 40;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (under + over) / 2;
        (reached(middle) ? over : under) = middle;
    }
    return over;
}

} // namespace

double residualAt(const Residual& residual, double normal)
{
    return (normal < 0 ? residual.low : residual.high) * std::abs(normal) / capacity::kNinetieth;
}

Residual residualOf(const std::vector<double>& explained, const std::vector<double>& normals, double low, double high)
{
    Residual residual;
    if (explained.empty())
        return residual;
    constexpr int kRounds = 4; // one side moves the other's percentile a little
    for (int round = 0; round < kRounds; ++round) {
        residual.low = -leastOf(-low, [&](double width) {
            return quantileOfSum(explained, normals, {-width, residual.high}, kTenth) <= low;
        });
        residual.high = leastOf(high, [&](double width) {
            return quantileOfSum(explained, normals, {residual.low, width}, kOneSide) >= high;
        });
    }
    return residual;
}

} // namespace stratoplan::sensitivity
