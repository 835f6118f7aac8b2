// SPDX-License-Identifier: Apache-2.0
// An amount that is not certain, and the even spread of draws that finds how uncertain it is: the same ones every time.
#pragma once

#include <cmath>
#include <cstddef>

namespace stratoplan::capacity {

/// Tenth percentile, the estimate, ninetieth percentile.
struct Spread {
    double low = 0, mid = 0, high = 0;
    bool operator==(const Spread&) const = default;
};
/// Of an amount that rises with another one.
template <class Function>
[[nodiscard]] Spread mapped(const Spread& spread, Function function)
{
    return {function(spread.low), function(spread.mid), function(spread.high)};
}

inline constexpr double kNinetieth = 1.2815515655446004; ///< of the standard normal distribution

/// The factor on an amount whose middle and percentiles are known, `normal` deviations from the middle: both halves are
/// of a normal distribution of its logarithm.
[[nodiscard]] inline double factorAt(double normal, double lowFactor, double highFactor)
{
    const double end = normal < 0 ? lowFactor : highFactor;
    return end > 0 ? std::pow(end, std::abs(normal) / kNinetieth) : 0;
}

/// The chance that an amount of that spread is more than `limit`, by the same two halves; of one without a spread 0 or
/// 1.
[[nodiscard]] double chanceAbove(const Spread& spread, double limit);

/// What the standard normal distribution reaches with that probability, within 1e-9 (Acklam's rational approximation
/// and one step of Halley's method).
[[nodiscard]] double normalAt(double probability);
/// The i-th of evenly spread points of [0, 1), by digits in that base turned round (van der Corput; Halton 1960).
[[nodiscard]] double radicalInverse(std::size_t i, unsigned base);

} // namespace stratoplan::capacity
