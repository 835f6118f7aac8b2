// SPDX-License-Identifier: Apache-2.0
// Where the seconds of one step go.
#pragma once

#include "core/units/quantity.h"

namespace stratoplan::pricing {

struct CommunicationSeconds {
    Seconds tp{}, cp{}, ep{}, pp{}, dp{};
    [[nodiscard]] Seconds total() const { return tp + cp + ep + pp + dp; }
    bool operator==(const CommunicationSeconds&) const = default;
};

/// Where the seconds of one step go. total() = step time: hidden communication costs nothing and is outside.
struct Breakdown {
    Seconds forward{}, backward{}, recompute{}, optimizer{}, bubble{}, other{};
    CommunicationSeconds exposed;
    CommunicationSeconds hidden;
    [[nodiscard]] Seconds compute() const { return forward + backward + recompute; }
    [[nodiscard]] Seconds total() const { return compute() + optimizer + bubble + other + exposed.total(); }
    bool operator==(const Breakdown&) const = default;
};

} // namespace stratoplan::pricing
