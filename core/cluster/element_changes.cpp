// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/element_changes.h"

#include "core/cluster/cluster_edits.h"
#include "core/cluster/drawing.h"
#include "core/cluster/fabric.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace stratoplan::cluster {

namespace {

void add(std::vector<ChangedCluster>& changes, ElementChange change, std::optional<Cluster> cluster)
{
    if (cluster)
        changes.push_back({change, std::move(*cluster)});
}

long long cablesUpwards(const Cluster& cluster, const NodeGroup& nodes)
{
    long long cables = 0;
    for (const Connection& c : cluster.connections)
        cables += endsAt(c, nodes.id) ? std::max(0, c.cables) : 0;
    return cables;
}

std::optional<Cluster> withoutNodes(Cluster cluster, std::size_t group, long long nodes)
{
    if (nodes >= cluster.nodes[group].count)
        return std::nullopt;
    setNodeCount(cluster, group, static_cast<int>(cluster.nodes[group].count - nodes));
    return cluster;
}

/// A node with a NIC less. One that no cables are drawn of becomes a group of its own.
std::optional<Cluster> withoutNic(Cluster cluster, std::size_t group)
{
    const NodeGroup& nodes = cluster.nodes[group];
    if (nodes.nicsPerNode < 2)
        return std::nullopt; // the node is apart then
    if (isDrawn(cluster)) {
        const auto most = std::ranges::max_element(
            cluster.connections, {}, [&](const Connection& c) { return endsAt(c, nodes.id) ? c.cables : 0; });
        if (most == cluster.connections.end() || !endsAt(*most, nodes.id) || most->cables < 2)
            return std::nullopt;
        --most->cables;
        return cluster;
    }
    NodeGroup degraded = nodes;
    --degraded.nicsPerNode;
    degraded.count = 1;
    if (nodes.count == 1) {
        cluster.nodes[group] = std::move(degraded);
        return cluster;
    }
    do
        degraded.id += "-degraded";
    while (std::ranges::count(cluster.nodes, degraded.id, &NodeGroup::id) > 0);
    --cluster.nodes[group].count;
    cluster.nodes.insert(cluster.nodes.begin() + static_cast<std::ptrdiff_t>(group) + 1, std::move(degraded));
    return cluster;
}

/// Of so many cables to so many switches those of one.
int ofOne(int cables, int switches)
{
    return (cables + switches - 1) / switches;
}

/// A leaf that serves nodes of its own takes them along.
std::optional<Cluster> withoutNodesBelow(Cluster cluster, const SwitchGroup& leaves)
{
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        const long long all = cablesUpwards(cluster, cluster.nodes[i]);
        long long here = 0;
        for (const Connection& c : cluster.connections)
            here += endsAt(c, leaves.id) && endsAt(c, cluster.nodes[i].id) ? std::max(0, c.cables) : 0;
        if (here <= 0 || cluster.nodes[i].count <= 0)
            continue;
        // Those with cables to this group of leaves, evenly below each.
        const long long nodes = (cluster.nodes[i].count * here + all - 1) / all;
        auto fewer = withoutNodes(std::move(cluster), i, (nodes + leaves.count - 1) / leaves.count);
        if (!fewer)
            return std::nullopt;
        cluster = std::move(*fewer);
    }
    return cluster;
}

std::optional<Cluster> withoutSwitch(Cluster cluster, std::size_t group)
{
    const SwitchGroup failing = cluster.switches[group];
    if (failing.count < 2)
        return std::nullopt;
    const bool ownsNodes = failing.tier == SwitchTier::Leaf && blocksOf(failing) == failing.count;
    if (ownsNodes) {
        auto fewer = withoutNodesBelow(std::move(cluster), failing);
        if (!fewer)
            return std::nullopt;
        cluster = std::move(*fewer);
    }
    for (Connection& c : cluster.connections)
        if (endsAt(c, failing.id) && !(ownsNodes && height(cluster, otherEnd(c, failing.id)) == 0))
            c.cables = std::max(0, c.cables - ofOne(c.cables, failing.count));
    // One of a block stays drawn, without its cables: its block would be unlike the others.
    SwitchGroup& left = cluster.switches[group];
    if (left.blocks <= 1 || ownsNodes) {
        --left.count;
        left.blocks = std::min(left.blocks, left.count);
    }
    return cluster;
}

Cluster withTwiceTheNetwork(Cluster cluster, std::size_t connection)
{
    Connection& c = cluster.connections[connection];
    c.link.bandwidth *= 2;
    for (NodeGroup& nodes : cluster.nodes)
        if (endsAt(c, nodes.id))
            nodes.nic.bandwidth *= 2;
    return cluster;
}

} // namespace

std::vector<ChangedCluster> changesOfElement(const Cluster& cluster, std::string_view id)
{
    std::vector<ChangedCluster> changes;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        if (cluster.nodes[i].id != id || !takesPart(cluster.nodes[i]))
            continue;
        add(changes, ElementChange::NodeFails, withoutNodes(cluster, i, 1));
        add(changes, ElementChange::NicFails, withoutNic(cluster, i));
        Cluster faster = cluster;
        faster.nodes[i].scaleUp.bandwidth *= 2;
        add(changes, ElementChange::TwiceScaleUp, std::move(faster));
        if (!isDrawn(cluster)) {
            Cluster network = cluster;
            network.nodes[i].nic.bandwidth *= 2;
            add(changes, ElementChange::TwiceNetwork, std::move(network));
        }
    }
    for (std::size_t i = 0; i < cluster.switches.size(); ++i)
        if (cluster.switches[i].id == id)
            add(changes, ElementChange::SwitchFails, withoutSwitch(cluster, i));
    return changes;
}

std::vector<ChangedCluster> changesOfConnection(const Cluster& cluster, std::size_t connection)
{
    std::vector<ChangedCluster> changes;
    if (connection >= cluster.connections.size() || cluster.connections[connection].cables <= 0)
        return changes;
    Cluster broken = cluster;
    --broken.connections[connection].cables;
    add(changes, ElementChange::CableBreaks, std::move(broken));
    add(changes, ElementChange::TwiceNetwork, withTwiceTheNetwork(cluster, connection));
    return changes;
}

} // namespace stratoplan::cluster
