// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cluster_edits.h"

#include "core/cluster/drawing.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace stratoplan::cluster {

namespace {

/// Cables that end at a group of switches, from below and upwards.
struct Plugged {
    long long below = 0, above = 0;
};

Plugged plugged(const Cluster& cluster, const SwitchGroup& group)
{
    Plugged all;
    for (const Connection& c : cluster.connections) {
        const int other = endsAt(c, group.id) ? height(cluster, otherEnd(c, group.id)) : height(cluster, group.id);
        if (other != height(cluster, group.id))
            (other > height(cluster, group.id) ? all.above : all.below) += std::max(0, c.cables);
    }
    return all;
}

/// Of a drawing, that its switches can be grown by: leaves of whole blocks, as many as there are blocks above.
long long stepOf(const Cluster& cluster, const SwitchGroup& group)
{
    if (group.tier != SwitchTier::Leaf)
        return blocksOf(group);
    long long above = 1;
    for (const Connection& c : cluster.connections)
        if (const SwitchGroup* const upper = switchesAt(cluster, c, group.id))
            above = std::max<long long>(above, blocksOf(*upper));
    const int blocks = blocksOf(group);
    return std::max<long long>(1, group.count / blocks) * (blocks % above == 0 ? above : 1);
}

/// Enough switches for so many cables, in blocks of as many leaves, or as many blocks of spines. A single one at the
/// top, or a single block of rails, has more ports instead: two would be apart.
void addSwitches(const Cluster& cluster, SwitchGroup& group, long long cables, bool isTop)
{
    const bool isLeaf = group.tier == SwitchTier::Leaf;
    if (isTop && (group.count <= 1 || (isLeaf && blocksOf(group) == 1))) {
        const long long each = (cables + std::max(1, group.count) - 1) / std::max(1, group.count);
        group.ports = static_cast<int>(std::min<long long>(std::max<long long>(group.ports, each), kMostPorts));
        return;
    }
    if (group.ports <= 0)
        return;
    constexpr long long kMost = std::numeric_limits<int>::max();
    const long long ofBlock = std::max(1, group.count / blocksOf(group)), step = std::max(1LL, stepOf(cluster, group));
    const long long needed = (cables + group.ports - 1) / group.ports;
    const long long count = std::max<long long>(group.count, (needed + step - 1) / step * step);
    group.count = static_cast<int>(std::min(count, kMost));
    if (group.blocks > 0 && isLeaf)
        group.blocks = static_cast<int>(group.count / ofBlock);
}

/// Uplinks as many times as what comes from below grew, but of a group without oversubscription no more than it takes
/// to stay so; and as many switches as hold all.
void follow(Cluster& cluster, const Cluster& before, SwitchGroup& group)
{
    const Plugged was = plugged(before, group);
    const long long below = plugged(cluster, group).below;
    if (was.below <= 0 || below <= was.below)
        return;
    if (was.above < was.below)
        scaleUplinks(cluster, group.id, was.below, below);
    else if (was.above < below)
        scaleUplinks(cluster, group.id, was.above, below);
    holdCables(cluster, group.id);
}

/// Several bundles of cables, each rounded up, may be more than the ports of the nodes.
void trimToPorts(Cluster& cluster, const NodeGroup& nodes)
{
    const long long ports = static_cast<long long>(nodes.count) * nodes.nicsPerNode;
    long long cables = 0;
    for (const Connection& c : cluster.connections)
        cables += endsAt(c, nodes.id) ? c.cables : 0;
    for (Connection& c : cluster.connections) {
        if (!endsAt(c, nodes.id) || cables <= ports || c.cables <= 1)
            continue;
        --c.cables; // each was rounded up by less than one
        --cables;
    }
}

/// No cables of no nodes; one for each NIC where there were none.
void recable(Cluster& cluster, const NodeGroup& nodes)
{
    long long cables = static_cast<long long>(std::max(0, nodes.count)) * nodes.nicsPerNode;
    for (Connection& c : cluster.connections) {
        if (!endsAt(c, nodes.id))
            continue;
        c.cables = static_cast<int>(std::min<long long>(cables, std::numeric_limits<int>::max()));
        cables = 0; // all over the first
    }
}

/// The tiers above a group of nodes whose cables grew.
void growAbove(Cluster& cluster, const Cluster& before)
{
    for (const SwitchTier tier : {SwitchTier::Leaf, SwitchTier::Spine, SwitchTier::Core})
        for (SwitchGroup& group : cluster.switches)
            if (group.tier == tier)
                follow(cluster, before, group);
}

} // namespace

void holdCables(Cluster& cluster, std::string_view id)
{
    const auto group = std::ranges::find(cluster.switches, id, &SwitchGroup::id);
    if (group == cluster.switches.end())
        return;
    const Plugged all = plugged(cluster, *group);
    addSwitches(cluster, *group, all.below + all.above, all.above == 0);
}

void scaleUplinks(Cluster& cluster, std::string_view id, long long before, long long after)
{
    if (before <= 0)
        return;
    for (Connection& c : cluster.connections) {
        if (!endsAt(c, id) || c.cables <= 0 || height(cluster, otherEnd(c, id)) <= height(cluster, id))
            continue; // what comes from below has not changed
        const long long scaled = (c.cables * after + before - 1) / before;
        c.cables = static_cast<int>(std::clamp<long long>(scaled, 1, std::numeric_limits<int>::max()));
    }
}

void setNodeCount(Cluster& cluster, std::size_t group, int count)
{
    const Cluster before = cluster;
    NodeGroup& nodes = cluster.nodes.at(group);
    const int was = nodes.count;
    nodes.count = count;
    if (count <= 0 || was <= 0) {
        recable(cluster, nodes);
    } else {
        scaleUplinks(cluster, nodes.id, was, count);
        trimToPorts(cluster, nodes);
    }
    growAbove(cluster, before);
}

void setNicsPerNode(Cluster& cluster, std::size_t group, int nics)
{
    const Cluster before = cluster;
    NodeGroup& nodes = cluster.nodes.at(group);
    scaleUplinks(cluster, nodes.id, nodes.nicsPerNode, nics);
    nodes.nicsPerNode = nics;
    trimToPorts(cluster, nodes);
    growAbove(cluster, before);
}

void setNic(Cluster& cluster, std::size_t group, const Link& nic)
{
    NodeGroup& nodes = cluster.nodes.at(group);
    for (Connection& c : cluster.connections)
        if (endsAt(c, nodes.id) && c.link == nodes.nic)
            c.link = nic;
    nodes.nic = nic;
}

void setScaleUpDomain(NodeGroup& nodes, int accelerators)
{
    nodes.scaleUpDomain = accelerators;
    if (!nodes.torus || !isValid(*nodes.torus))
        return;
    if (accelerators >= sizeOf(*nodes.torus))
        return;
    if (auto part = boxOfAll(*nodes.torus, accelerators))
        nodes.torus = std::move(part);
}

void setTorusAxes(NodeGroup& nodes, const std::vector<int>& axes)
{
    if (axes.empty()) {
        nodes.torus.reset();
        return;
    }
    nodes.torus = Torus{axes, nodes.torus ? nodes.torus->wrap : TorusWrap::EveryAxis};
    nodes.scaleUpDomain = static_cast<int>(std::min<long long>(sizeOf(*nodes.torus), std::numeric_limits<int>::max()));
}

void speedUpNetwork(Cluster& cluster, double times)
{
    for (NodeGroup& group : cluster.nodes)
        group.nic.bandwidth *= times;
    for (Connection& c : cluster.connections)
        c.link.bandwidth *= times;
}

} // namespace stratoplan::cluster
