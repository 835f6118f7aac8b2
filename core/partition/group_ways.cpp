// SPDX-License-Identifier: Apache-2.0
#include "core/partition/group_ways.h"

#include <algorithm>

namespace stratoplan::partition {

std::shared_ptr<GroupWays> KnownGroups::at(const GroupPlace& place, int bits, const std::array<int, kAxes>& most)
{
    std::array<int, kAxes> digits = most; // a group has no more of them than bits
    for (int& count : digits)
        count = std::min(count, bits);
    const cluster::Span& span = place.span;
    std::array<int, 6 + kAxes> key{span.size, span.inside, span.sharingUplink, span.insideLeaf, span.sharingLeaf, bits};
    std::copy(digits.begin(), digits.end(), key.begin() + 6);
    std::shared_ptr<GroupWays>& known = m_known[key];
    if (known == nullptr)
        known = std::make_shared<GroupWays>(place, bits, digits);
    return known;
}

} // namespace stratoplan::partition
