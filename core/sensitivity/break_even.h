// SPDX-License-Identifier: Apache-2.0
// The value of an input at which one plan becomes as good as another.
#pragma once

#include "core/sensitivity/outcome.h"

#include <functional>
#include <vector>

namespace stratoplan::sensitivity {

/// Where a function changes its sign, in the order of values. Each bracket of an even grid whose ends differ in sign is
/// halved until its middle is one of its ends, or a whole number away; infinite values have the sign of theirs.
/// Precondition: low < high.
struct Crossing {
    double value = 0; ///< the first, from low to high, at which the new sign holds
    bool isFromAbove = false; ///< positive below it
};
[[nodiscard]] std::vector<Crossing> crossings(
    const std::function<double(double)>& function, double low, double high, bool isWhole);

struct BreakEven {
    std::string key; ///< of the input
    Measure measure = Measure::Step;
    double low = 0, high = 0; ///< of the input: between these it was looked for
    struct Sides {
        double first = 0, other = 0; ///< what the two plans have; infinite: that one does not run or fit
    };
    Sides atLow, atHigh;
    struct Place {
        double value = 0;
        bool otherIsBetterAbove = false; ///< from there on, else up to there
        Sides at;
    };
    std::vector<Place> places; ///< none: one plan is better at all values that were looked at
    bool isStopped = false;
};

/// The first plan and the other one with the same value of an input. A plan that does not fit is never better.
/// Precondition: both have the input, and know the measure in one currency; low < high.
[[nodiscard]] BreakEven breakEven(const Case& first, const Case& other, const Input& input, Measure measure, double low,
    double high, const std::stop_token& stop = {});

} // namespace stratoplan::sensitivity
