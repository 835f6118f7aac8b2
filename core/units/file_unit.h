// SPDX-License-Identifier: Apache-2.0
// The unit of a number in files: "latency_us" holds microseconds.
#pragma once

#include "core/units/quantity.h"

namespace stratoplan::inline units {

/// Small units divide, so that 18 µs is the double nearest to 18e-6.
struct FileUnit {
    double factor = 1;
    bool divide = false;
    [[nodiscard]] constexpr double toBase(double number) const { return divide ? number / factor : number * factor; }
    /// The number with few digits that toBase() takes back to `base`.
    [[nodiscard]] double fromBase(double base) const;
};
inline constexpr FileUnit kInMebi{kMiB};
inline constexpr FileUnit kInGibi{kGiB};
inline constexpr FileUnit kInGiga{1e9};
inline constexpr FileUnit kInTera{1e12};
inline constexpr FileUnit kInMilli{1e3, true};
inline constexpr FileUnit kInMicro{1e6, true};

} // namespace stratoplan::inline units
