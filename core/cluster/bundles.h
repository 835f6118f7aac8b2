// SPDX-License-Identifier: Apache-2.0
// Cables of unlike rates, or of several connections, dealt out evenly.
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

/// Cables of one connection as the elements of a group have them: `each` everyone, and one more those `more` elements
/// that follow on `first`, the first one behind the last.
struct Deal {
    long long elements = 1, each = 0, first = 0, more = 0;

    /// Of the elements in [from, to).
    [[nodiscard]] long long cablesOf(long long from, long long to) const;
};
/// Of several connections, one after the other: each goes on where the one before has ended.
[[nodiscard]] std::vector<Deal> deal(const std::vector<long long>& cables, long long elements);

} // namespace stratoplan::cluster
