// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/torus_nodes.h"

#include <algorithm>
#include <numeric>

namespace stratoplan::cluster {

namespace {

/// Whether slices of it are closed as it is.
bool isPod(const Torus& torus)
{
    if (torus.wrap != TorusWrap::CubesOf4 && torus.wrap != TorusWrap::AxesOf16)
        return false;
    for (std::size_t axis = 0; axis < torus.axes.size(); ++axis)
        if (!isClosed(torus, axis))
            return false;
    return true;
}

bool isFilled(const Torus& torus, int accelerators)
{
    const long long all = sizeOf(torus);
    return accelerators >= all ? accelerators % all == 0 : isPod(torus) && boxOfAll(torus, accelerators).has_value();
}

long long nodesThatFill(const Torus& torus, const NodeGroup& group)
{
    const long long all = sizeOf(torus), ofNode = group.acceleratorsPerNode;
    if (isPod(torus))
        for (int nodes = group.count + 1; nodes * ofNode < all; ++nodes)
            if (boxOfAll(torus, int(nodes * ofNode)))
                return nodes;
    const long long step = std::lcm(all, ofNode) / ofNode;
    return (group.count + step - 1) / step * step;
}

/// In a pod no longer than its own axes.
std::vector<int> axesThatFit(const Torus& torus, int accelerators)
{
    const Torus room = isPod(torus) ? torus : Torus{std::vector(torus.axes.size(), kLongestTorusAxis), torus.wrap};
    for (int tori = 1;; ++tori) // one accelerator has a box
        if (accelerators % tori == 0)
            if (auto box = boxOfAll(room, accelerators / tori))
                return box->axes;
}

} // namespace

std::optional<UnfilledTorus> unfilledTorus(const NodeGroup& group)
{
    if (!takesPart(group) || !group.torus || !isValid(*group.torus) || sizeOf(*group.torus) != group.scaleUpDomain)
        return std::nullopt;
    const int accelerators = group.acceleratorsPerNode * group.count;
    if (isFilled(*group.torus, accelerators))
        return std::nullopt;
    return UnfilledTorus{nodesThatFill(*group.torus, group), axesThatFit(*group.torus, accelerators)};
}

} // namespace stratoplan::cluster
