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

/// The fewest nodes of which a multiple fills whole tori.
long long nodesOfTori(const Torus& torus, const NodeGroup& group)
{
    return std::lcm(sizeOf(torus), (long long)group.acceleratorsPerNode) / group.acceleratorsPerNode;
}

long long nodesThatFill(const Torus& torus, const NodeGroup& group)
{
    const long long all = sizeOf(torus), ofNode = group.acceleratorsPerNode;
    if (isPod(torus))
        for (int nodes = group.count + 1; nodes * ofNode < all; ++nodes)
            if (boxOfAll(torus, int(nodes * ofNode)))
                return nodes;
    const long long step = nodesOfTori(torus, group);
    return (group.count + step - 1) / step * step;
}

long long fewerThatFill(const Torus& torus, const NodeGroup& group)
{
    const long long step = nodesOfTori(torus, group), least = (3LL * group.count + 3) / 4;
    if (const long long whole = group.count / step * step; whole > 0 || !isPod(torus))
        return whole >= least ? whole : 0;
    for (int nodes = group.count - 1; nodes >= least; --nodes)
        if (isFilled(torus, nodes * group.acceleratorsPerNode))
            return nodes;
    return 0;
}

/// In a pod no longer than its own axes.
std::vector<int> axesThatFit(const Torus& torus, int accelerators)
{
    const Torus room = isPod(torus) ? torus : Torus{std::vector(torus.axes.size(), kLongestTorusAxis), torus.wrap};
    const int tori = int((accelerators + sizeOf(room) - 1) / sizeOf(room));
    const auto box = accelerators % tori == 0 ? boxOfAll(room, accelerators / tori) : std::nullopt;
    return box ? box->axes : std::vector<int>();
}

} // namespace

std::optional<UnfilledTorus> unfilledTorus(const NodeGroup& group)
{
    if (!takesPart(group) || !group.torus || !isValid(*group.torus) || sizeOf(*group.torus) != group.scaleUpDomain)
        return std::nullopt;
    const int accelerators = group.acceleratorsPerNode * group.count;
    if (isFilled(*group.torus, accelerators))
        return std::nullopt;
    return UnfilledTorus{nodesThatFill(*group.torus, group), fewerThatFill(*group.torus, group),
        axesThatFit(*group.torus, accelerators)};
}

} // namespace stratoplan::cluster
