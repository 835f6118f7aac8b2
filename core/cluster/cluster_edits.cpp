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

/// As many switches as hold their cables, of which those upwards follow.
void growToFit(Cluster& cluster, SwitchGroup& group)
{
    const Plugged all = plugged(cluster, group);
    const long long count = group.count, ports = group.ports;
    if (count <= 1 && all.above == 0) { // two would be apart
        group.ports =
            static_cast<int>(std::min<long long>(std::max(ports, all.below), std::numeric_limits<int>::max()));
        return;
    }
    // Uplinks of one switch, rounded up, leave so many ports for what is below.
    const long long ofOne = count > 0 ? (all.above + count - 1) / count : ports;
    if (all.below + all.above <= ports * count || ofOne >= ports)
        return;
    const long long grown = std::max(count, (all.below + ports - ofOne - 1) / (ports - ofOne));
    group.count = static_cast<int>(std::min<long long>(grown, std::numeric_limits<int>::max()));
    scaleUplinks(cluster, group.id, count, group.count);
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
void growAbove(Cluster& cluster)
{
    for (const SwitchTier tier : {SwitchTier::Leaf, SwitchTier::Spine, SwitchTier::Core})
        for (SwitchGroup& group : cluster.switches)
            if (group.tier == tier)
                growToFit(cluster, group);
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
        const long long scaled = (c.cables * after + before - 1) / before;
        c.cables = static_cast<int>(std::clamp<long long>(scaled, 1, std::numeric_limits<int>::max()));
    }
}

void setNodeCount(Cluster& cluster, std::size_t group, int count)
{
    NodeGroup& nodes = cluster.nodes.at(group);
    const int before = nodes.count;
    nodes.count = count;
    if (count <= 0 || before <= 0) {
        recable(cluster, nodes);
    } else {
        scaleUplinks(cluster, nodes.id, before, count);
        trimToPorts(cluster, nodes);
    }
    if (count > before)
        growAbove(cluster);
}

void setNicsPerNode(Cluster& cluster, std::size_t group, int nics)
{
    NodeGroup& nodes = cluster.nodes.at(group);
    const int before = nodes.nicsPerNode;
    scaleUplinks(cluster, nodes.id, before, nics);
    nodes.nicsPerNode = nics;
    trimToPorts(cluster, nodes);
    if (nics > before)
        growAbove(cluster);
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
