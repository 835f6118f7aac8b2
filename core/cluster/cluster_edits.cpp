// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cluster_edits.h"

#include <algorithm>
#include <limits>

namespace stratoplan::cluster {

namespace {

/// Of a group in the fabric: nodes 0, then the tiers of the switches.
int height(const Cluster& cluster, std::string_view id)
{
    const auto group = std::ranges::find(cluster.switches, id, &SwitchGroup::id);
    return group == cluster.switches.end() ? 0 : 1 + static_cast<int>(group->tier);
}

/// Cables that end at a group of switches, from below and upwards.
struct Plugged {
    long long below = 0, above = 0;
};

Plugged plugged(const Cluster& cluster, const SwitchGroup& group)
{
    Plugged all;
    for (const Connection& c : cluster.connections) {
        if (!endsAt(c, group.id))
            continue;
        const bool up = height(cluster, c.from == group.id ? c.to : c.from) > height(cluster, group.id);
        (up ? all.above : all.below) += std::max(0, c.cables);
    }
    return all;
}

/// Uplinks as many times as what comes from below grew, and as many switches as hold all. A single one at the top has
/// more ports instead: two would be apart.
void follow(Cluster& cluster, const Cluster& before, SwitchGroup& group)
{
    const long long was = plugged(before, group).below, is = plugged(cluster, group).below;
    if (was <= 0 || is <= was)
        return;
    scaleUplinks(cluster, group.id, was, is);
    const Plugged all = plugged(cluster, group);
    const long long needed = all.below + all.above, most = std::numeric_limits<int>::max();
    if (group.count <= 1 && all.above == 0)
        group.ports = static_cast<int>(std::min(std::max<long long>(group.ports, needed), most));
    else if (group.ports > 0)
        group.count = static_cast<int>(
            std::min(std::max<long long>(group.count, (needed + group.ports - 1) / group.ports), most));
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

void scaleUplinks(Cluster& cluster, std::string_view id, long long before, long long after)
{
    if (before <= 0)
        return;
    for (Connection& c : cluster.connections) {
        if (c.from != id && c.to != id)
            continue;
        if (height(cluster, c.from == id ? c.to : c.from) < height(cluster, id))
            continue; // it comes from below, where nothing changed
        if (c.cables <= 0)
            continue;
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

void speedUpNetwork(Cluster& cluster, double times)
{
    for (NodeGroup& group : cluster.nodes)
        group.nic.bandwidth *= times;
    for (Connection& c : cluster.connections)
        c.link.bandwidth *= times;
}

} // namespace stratoplan::cluster
