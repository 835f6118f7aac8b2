// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/rank_order.h"

namespace stratoplan::parallel {

int degree(const Strategy& s, Axis axis)
{
    switch (axis) {
    case Axis::Tp:
        return s.tp;
    case Axis::Cp:
        return s.cp;
    case Axis::Dp:
        return s.dp;
    case Axis::Pp:
        return s.pp;
    case Axis::Ep:
        return s.ep;
    }
    return 1;
}

unsigned axesInUse(const Strategy& s)
{
    unsigned axes = 0;
    for (const Axis axis : {Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp, Axis::Pp})
        axes |= degree(s, axis) > 1 ? 1U << unsigned(axis) : 0U;
    return axes;
}

std::vector<int> orderSeen(const RankOrder& order, unsigned axes)
{
    const auto used = [axes](Axis axis) { return (axes >> unsigned(axis) & 1U) != 0; };
    std::vector<int> seen;
    int replicasAt = -1;
    int expertsAt = -1;
    for (int i = 0; i < int(order.size()); ++i) {
        const Axis axis = order[std::size_t(i)];
        if (axis == Axis::Ep)
            expertsAt = i;
        else if (used(axis))
            seen.push_back(int(axis));
        if (axis == Axis::Dp || axis == Axis::Cp)
            replicasAt = i;
    }
    seen.push_back(used(Axis::Ep) && expertsAt > replicasAt ? -1 : -2);
    return seen;
}

} // namespace stratoplan::parallel
