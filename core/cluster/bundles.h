// SPDX-License-Identifier: Apache-2.0
// Cables of unlike rates, dealt out evenly.
#pragma once

#include "core/units/quantity.h"

#include <vector>

namespace stratoplan::cluster {

/// Cables of one rate each.
struct Bundle {
    BytesPerSecond rate{};
    long long cables = 0;
};

/// What those of the one with the fewest carry together, when they are dealt out to so many, the fastest first.
[[nodiscard]] BytesPerSecond sumOfFewest(std::vector<Bundle> bundles, long long many);

/// The same of at most so many cables that all carry alike, as many of the fastest as carry the most then.
struct Alike {
    long long cables = 0;
    BytesPerSecond rate{}; ///< of each
    BytesPerSecond fastest{}; ///< of one alone
};
[[nodiscard]] Alike mostAlike(std::vector<Bundle> bundles, long long many, long long atMost);

} // namespace stratoplan::cluster
