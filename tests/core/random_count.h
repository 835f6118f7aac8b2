// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

namespace stratoplan::test {

/// Of so many random cases a sixteenth under a sanitizer, which looks for faults and takes seven times as long; what
/// they answer is compared without one.
constexpr int fewerSanitized(int cases)
{
    return std::max(1, cases * STRATOPLAN_RANDOM_PLANS / 2000);
}

/// Whether rare ones are sure to be among them.
constexpr bool drawsRareOnes()
{
    return STRATOPLAN_SANITIZED == 0;
}

} // namespace stratoplan::test
