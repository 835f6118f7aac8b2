// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/element_changes.h"

#include "core/cluster/bundles.h"
#include "core/cluster/drawing.h"
#include "core/cluster/fabric.h"
#include "core/cluster/node_kinds.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace stratoplan::cluster {

namespace {

void add(std::vector<ChangedCluster>& changes, ElementChange change, std::optional<Cluster> cluster)
{
    if (cluster)
        changes.push_back({change, std::move(*cluster)});
}

/// Of so many of what is spread evenly, those that are left without one of `units`.
int withoutOne(int spread, int units)
{
    return spread - (spread + units - 1) / units;
}

long long cablesOf(const Cluster& cluster, const NodeGroup& nodes)
{
    long long cables = 0;
    for (const Connection& c : cluster.connections)
        cables += endsAt(c, nodes.id) ? std::max(0, c.cables) : 0;
    return cables;
}

/// Whether the nodes have cables to these leaves, and to nothing else.
bool servesAlone(const Cluster& cluster, const SwitchGroup& leaves, const NodeGroup& nodes)
{
    const long long here = cablesBetween(cluster, leaves.id, nodes.id);
    return here > 0 && here == cablesOf(cluster, nodes);
}

/// Their cables go along, those of the first nodes, which lack none: what others lack, they still lack.
void removeNodes(Cluster& cluster, std::size_t group, int nodes)
{
    NodeGroup& shrinking = cluster.nodes[group];
    const int gone = std::clamp(nodes, 0, shrinking.count);
    std::vector<Connection*> dealt;
    std::vector<long long> cables;
    for (Connection& c : cluster.connections)
        if (endsAt(c, shrinking.id) && c.cables > 0 && shrinking.count > 0) {
            dealt.push_back(&c);
            cables.push_back(c.cables);
        }
    const std::vector<Deal> deals = deal(cables, std::max(1, shrinking.count));
    for (std::size_t i = 0; i < dealt.size(); ++i)
        dealt[i]->cables -= static_cast<int>(deals[i].cablesOf(0, gone));
    shrinking.count -= gone;
}

std::optional<Cluster> withoutNode(Cluster cluster, std::size_t group)
{
    removeNodes(cluster, group, 1);
    return acceleratorCount(cluster) > 0 ? std::optional(std::move(cluster)) : std::nullopt;
}

/// A node with a NIC less. One that no cables are drawn of becomes a group of its own, but for a domain over several
/// nodes, which stays one of like nodes: all of them go at the pace of the slowest.
std::optional<Cluster> withoutNic(Cluster cluster, std::size_t group)
{
    NodeGroup& nodes = cluster.nodes[group];
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
    if (nodes.count == 1 || nodes.scaleUpDomain > nodes.acceleratorsPerNode) {
        --nodes.nicsPerNode;
        return cluster;
    }
    NodeGroup degraded = nodes;
    --degraded.nicsPerNode;
    degraded.count = 1;
    do
        degraded.id += "-degraded";
    while (std::ranges::count(cluster.nodes, degraded.id, &NodeGroup::id) > 0);
    --nodes.count;
    cluster.nodes.insert(cluster.nodes.begin() + static_cast<std::ptrdiff_t>(group) + 1, std::move(degraded));
    return cluster;
}

/// Of nodes that only these leaves serve, those below one of them.
void removeNodesBelow(Cluster& cluster, const SwitchGroup& leaves)
{
    std::size_t largest = cluster.nodes.size();
    bool any = false;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        if (!servesAlone(cluster, leaves, cluster.nodes[i]))
            continue;
        if (largest == cluster.nodes.size() || cluster.nodes[i].count > cluster.nodes[largest].count)
            largest = i;
        const int share = (cluster.nodes[i].count + leaves.count / 2) / leaves.count;
        removeNodes(cluster, i, share);
        any = any || share > 0;
    }
    if (!any && largest < cluster.nodes.size()) // many small groups: some node there is
        removeNodes(cluster, largest, 1);
}

/// One of a block takes one of each other block along: all go at the pace of the block that lacks it. A leaf that
/// serves nodes of its own takes these along; where that is all of them, they are there, and cut off.
std::optional<Cluster> withoutSwitch(const Cluster& cluster, std::size_t group)
{
    const SwitchGroup& failing = cluster.switches[group];
    if (failing.count < 1)
        return std::nullopt;
    Cluster left = cluster;
    bool ownsNodes = failing.tier == SwitchTier::Leaf && blocksOf(failing) == failing.count;
    if (ownsNodes)
        removeNodesBelow(left, failing);
    if (acceleratorCount(left) == 0) {
        left = cluster;
        ownsNodes = false;
    }
    const int blocks = ownsNodes ? 1 : blocksOf(failing);
    for (Connection& c : left.connections) {
        if (!endsAt(c, failing.id))
            continue;
        const auto nodes = std::ranges::find(cluster.nodes, otherEnd(c, failing.id), &NodeGroup::id);
        if (!ownsNodes || nodes == cluster.nodes.end() || !servesAlone(cluster, failing, *nodes))
            c.cables = withoutOne(c.cables, std::max(1, failing.count / blocks));
    }
    left.switches[group].count = std::max(0, failing.count - blocks);
    left.switches[group].blocks = std::min(failing.blocks, left.switches[group].count);
    return left;
}

/// It is no longer what the catalogue has under that name.
void makeTwiceAsFast(Link& link)
{
    link.source.clear();
    link.id += "-x2";
    link.name = "2 × " + link.name;
    link.bandwidth *= 2;
}

/// Of the cables at these places, and of the NICs at their ends.
Cluster withTwiceTheNetwork(Cluster cluster, const std::vector<std::size_t>& connections)
{
    for (NodeGroup& nodes : cluster.nodes)
        if (std::ranges::any_of(
                connections, [&](std::size_t place) { return endsAt(cluster.connections[place], nodes.id); }))
            makeTwiceAsFast(nodes.nic);
    for (const std::size_t place : connections)
        makeTwiceAsFast(cluster.connections[place].link);
    return cluster;
}

/// Places below `size` that `isAlike` joins with the first one of each class, of those that `counts` picks.
std::vector<std::vector<std::size_t>> classesOf(std::size_t size, const std::function<bool(std::size_t)>& counts,
    const std::function<bool(std::size_t, std::size_t)>& isAlike)
{
    std::vector<std::vector<std::size_t>> classes;
    for (std::size_t i = 0; i < size; ++i) {
        if (!counts(i))
            continue;
        const auto same = std::ranges::find_if(classes, [&](const auto& each) { return isAlike(each.front(), i); });
        if (same != classes.end())
            same->push_back(i);
        else
            classes.push_back({i});
    }
    return classes;
}

/// Like nodes, switches of one tier, or the same group.
bool areLikeEnds(const Cluster& cluster, std::string_view a, std::string_view b)
{
    const auto nodes = std::ranges::find(cluster.nodes, a, &NodeGroup::id);
    const auto otherNodes = std::ranges::find(cluster.nodes, b, &NodeGroup::id);
    if (nodes != cluster.nodes.end() && otherNodes != cluster.nodes.end())
        return areAlike(*nodes, *otherNodes);
    const SwitchGroup *switches = findSwitches(cluster, a), *otherSwitches = findSwitches(cluster, b);
    return switches != nullptr && otherSwitches != nullptr ? switches->tier == otherSwitches->tier : a == b;
}

/// Whichever end is stated first.
bool areLikeCables(const Cluster& cluster, const Connection& a, const Connection& b)
{
    const auto ends = [&](const Connection& c) {
        return height(cluster, c.from) <= height(cluster, c.to) ? std::pair(&c.from, &c.to) : std::pair(&c.to, &c.from);
    };
    const auto [below, above] = ends(a);
    const auto [otherBelow, otherAbove] = ends(b);
    return a.link == b.link && areLikeEnds(cluster, *below, *otherBelow) && areLikeEnds(cluster, *above, *otherAbove);
}

} // namespace

std::vector<FasterLinks> fasterLinks(const Cluster& cluster)
{
    std::vector<FasterLinks> all;
    const auto likeNodes = classesOf(
        cluster.nodes.size(), [&](std::size_t i) { return takesPart(cluster.nodes[i]); },
        [&](std::size_t i, std::size_t j) { return areAlike(cluster.nodes[i], cluster.nodes[j]); });
    for (const std::vector<std::size_t>& places : likeNodes) {
        Cluster inside = cluster, outside = cluster;
        for (const std::size_t place : places) {
            makeTwiceAsFast(inside.nodes[place].scaleUp);
            makeTwiceAsFast(outside.nodes[place].nic);
        }
        all.push_back({places, true, {ElementChange::TwiceScaleUp, std::move(inside)}});
        if (!isDrawn(cluster))
            all.push_back({places, true, {ElementChange::TwiceNetwork, std::move(outside)}});
    }
    const auto likeCables = classesOf(
        cluster.connections.size(), [&](std::size_t i) { return cluster.connections[i].cables > 0; },
        [&](std::size_t i, std::size_t j) {
            return areLikeCables(cluster, cluster.connections[i], cluster.connections[j]);
        });
    for (const std::vector<std::size_t>& places : likeCables)
        all.push_back({places, false, {ElementChange::TwiceNetwork, withTwiceTheNetwork(cluster, places)}});
    return all;
}

std::vector<ChangedCluster> changesOfElement(const Cluster& cluster, std::string_view id)
{
    std::vector<ChangedCluster> changes;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        if (cluster.nodes[i].id != id || !takesPart(cluster.nodes[i]))
            continue;
        add(changes, ElementChange::NodeFails, withoutNode(cluster, i));
        add(changes, ElementChange::NicFails, withoutNic(cluster, i));
        Cluster faster = cluster;
        makeTwiceAsFast(faster.nodes[i].scaleUp);
        add(changes, ElementChange::TwiceScaleUp, std::move(faster));
        if (!isDrawn(cluster)) {
            Cluster network = cluster;
            makeTwiceAsFast(network.nodes[i].nic);
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
    add(changes, ElementChange::TwiceNetwork, withTwiceTheNetwork(cluster, {connection}));
    return changes;
}

} // namespace stratoplan::cluster
