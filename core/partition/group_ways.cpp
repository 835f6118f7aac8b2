// SPDX-License-Identifier: Apache-2.0
#include "core/partition/group_ways.h"

#include <algorithm>

namespace stratoplan::partition {

std::shared_ptr<GroupWays> KnownGroups::at(const GroupPlace& place, int bits, const std::array<int, kAxes>& most)
{
    std::array<int, kAxes> digits = most; // a group has no more of them than bits
    for (int& count : digits)
        count = std::min(count, bits);
    Key key{bits};
    auto* const next = std::ranges::copy(digits, key.begin() + 1).out;
    std::ranges::copy(numbersOf(place.span), next);
    std::shared_ptr<GroupWays>& known = m_known[key];
    if (known == nullptr)
        known = std::make_shared<GroupWays>(place, bits, digits);
    return known;
}

} // namespace stratoplan::partition
