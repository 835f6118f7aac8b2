// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cluster.h"

#include "core/units/named.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stratoplan::cluster {

namespace {

constexpr NameTable<LinkKind, 9> kLinkKinds{{
    {LinkKind::NvLink, "nvlink"},
    {LinkKind::Pcie, "pcie"},
    {LinkKind::InfiniBand, "infiniband"},
    {LinkKind::Ethernet, "ethernet"},
    {LinkKind::Slingshot, "slingshot"},
    {LinkKind::InfinityFabric, "infinity-fabric"},
    {LinkKind::Hccs, "hccs"},
    {LinkKind::Ici, "ici"},
    {LinkKind::Other, "other"},
}};
constexpr NameTable<SwitchTier, 3> kTiers{
    {{SwitchTier::Leaf, "leaf"}, {SwitchTier::Spine, "spine"}, {SwitchTier::Core, "core"}}};

BytesPerSecond sustained(const Link& link)
{
    return link.bandwidth * link.sustained;
}

/// Of a group in the fabric: nodes 0, then the tiers of the switches.
int height(const Cluster& cluster, std::string_view id)
{
    const auto group = std::ranges::find(cluster.switches, id, &SwitchGroup::id);
    return group == cluster.switches.end() ? 0 : 1 + static_cast<int>(group->tier);
}

/// Accelerators of the group that reach one another over the scale-up links.
int domainSize(const NodeGroup& group)
{
    return std::clamp(group.scaleUpDomain, 1, group.acceleratorsPerNode * group.count);
}

double domainPorts(const NodeGroup& group)
{
    return static_cast<double>(group.nicsPerNode) * domainSize(group) / group.acceleratorsPerNode;
}

const SwitchGroup* findSwitch(const Cluster& cluster, const std::string& id)
{
    const auto it = std::find_if(
        cluster.switches.begin(), cluster.switches.end(), [&](const SwitchGroup& s) { return s.id == id; });
    return it == cluster.switches.end() ? nullptr : &*it;
}

bool isNode(const Cluster& cluster, const std::string& id)
{
    return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [&](const NodeGroup& n) { return n.id == id; });
}

struct LeafCapacity {
    double up = 0; ///< bytes per second of the whole group
    double down = 0;
};

LeafCapacity capacityOf(const Cluster& cluster, const SwitchGroup& leaf)
{
    LeafCapacity capacity;
    for (const Connection& connection : cluster.connections) {
        if (connection.from != leaf.id && connection.to != leaf.id)
            continue;
        const std::string& other = connection.from == leaf.id ? connection.to : connection.from;
        const double rate = connection.link.bandwidth.value() * connection.cables;
        const SwitchGroup* upper = findSwitch(cluster, other);
        if (upper != nullptr && upper->tier != SwitchTier::Leaf)
            capacity.up += rate;
        else if (isNode(cluster, other))
            capacity.down += rate;
    }
    return capacity;
}

int leafCount(const Cluster& cluster)
{
    int count = 0;
    for (const SwitchGroup& group : cluster.switches)
        count += group.tier == SwitchTier::Leaf ? std::max(0, group.count) : 0;
    return count;
}

TopologyLevel scaleUpLevel(const std::vector<const NodeGroup*>& groups)
{
    const Link& first = groups.front()->scaleUp;
    TopologyLevel level;
    level.name = first.name;
    level.size = domainSize(*groups.front());
    level.bandwidth = sustained(first);
    level.latency = first.latency;
    level.kernels = first.kernels;
    for (const NodeGroup* group : groups) {
        level.size = std::min(level.size, domainSize(*group));
        if (sustained(group->scaleUp) < level.bandwidth) {
            level.bandwidth = sustained(group->scaleUp);
            level.name = group->scaleUp.name;
            level.kernels = group->scaleUp.kernels;
        }
        level.latency = std::max(level.latency, group->scaleUp.latency);
    }
    return level;
}

/// `domain`: size of level 0, which may be smaller than the domain of some groups.
TopologyLevel networkLevel(const std::vector<const NodeGroup*>& groups, int domain, int accelerators)
{
    TopologyLevel level;
    bool first = true;
    for (const NodeGroup* group : groups) {
        const double ports = domainPorts(*group) * domain / domainSize(*group);
        const BytesPerSecond bandwidth = sustained(group->nic) * ports;
        if (first || bandwidth < level.bandwidth) {
            level.name = group->nic.name;
            level.bandwidth = bandwidth;
            level.ports = ports;
        }
        level.latency = first ? group->nic.latency : std::max(level.latency, group->nic.latency);
        first = false;
    }
    level.size = accelerators;
    return level;
}

/// Splits the network level in two where the leaf uplinks are oversubscribed. Nodes are taken as cabled to one leaf
/// each; a rail-optimised fabric has the same uplink capacity per accelerator behind a larger unit.
void addLeafLevel(std::vector<TopologyLevel>& levels, const Cluster& cluster)
{
    const double share = leafUplinkShare(cluster);
    const int leaves = leafCount(cluster);
    const TopologyLevel network = levels[1];
    const int domain = levels[0].size;
    if (share >= 1 || leaves < 2)
        return;
    const int domainsPerLeaf = std::max(1, network.size / domain / leaves);
    if (domainsPerLeaf * domain >= network.size)
        return;
    TopologyLevel uplinks = network;
    uplinks.name = "leaf uplinks";
    uplinks.bandwidth = network.bandwidth * (domainsPerLeaf * share);
    uplinks.ports = network.ports * domainsPerLeaf * share;
    levels[1].size = domainsPerLeaf * domain;
    levels.push_back(uplinks);
}

} // namespace

std::string_view key(LinkKind kind)
{
    return nameIn(kLinkKinds, kind);
}

bool isNetwork(LinkKind kind)
{
    switch (kind) {
    case LinkKind::InfiniBand:
    case LinkKind::Ethernet:
    case LinkKind::Slingshot:
    case LinkKind::Other:
        return true;
    case LinkKind::NvLink:
    case LinkKind::Pcie:
    case LinkKind::InfinityFabric:
    case LinkKind::Hccs:
    case LinkKind::Ici:
        break;
    }
    return false;
}

std::string_view key(SwitchTier tier)
{
    return nameIn(kTiers, tier);
}

bool takesPart(const NodeGroup& group)
{
    return group.count > 0 && group.acceleratorsPerNode > 0;
}

int acceleratorCount(const Cluster& cluster)
{
    int count = 0;
    for (const NodeGroup& group : cluster.nodes)
        count += takesPart(group) ? group.acceleratorsPerNode * group.count : 0;
    return count;
}

Bytes smallestMemory(const Cluster& cluster)
{
    Bytes smallest(std::numeric_limits<double>::infinity());
    for (const NodeGroup& group : cluster.nodes)
        if (takesPart(group))
            smallest = std::min(smallest, group.accelerator.memory);
    return smallest;
}

int nodeCount(const Cluster& cluster)
{
    int count = 0;
    for (const NodeGroup& group : cluster.nodes)
        count += std::max(0, group.count);
    return count;
}

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

double leafUplinkShare(const Cluster& cluster)
{
    double share = 1;
    for (const SwitchGroup& group : cluster.switches) {
        if (group.tier != SwitchTier::Leaf)
            continue;
        const LeafCapacity capacity = capacityOf(cluster, group);
        if (capacity.up > 0 && capacity.down > 0)
            share = std::min(share, capacity.up / capacity.down);
    }
    return share;
}

Topology topology(const Cluster& cluster)
{
    Topology result;
    result.accelerators = acceleratorCount(cluster);
    std::vector<const NodeGroup*> groups;
    for (const NodeGroup& group : cluster.nodes) {
        if (takesPart(group))
            groups.push_back(&group);
    }
    if (groups.empty())
        return result;
    result.levels.push_back(scaleUpLevel(groups));
    const int domain = result.levels.front().size;
    if (result.accelerators > domain) {
        result.levels.push_back(networkLevel(groups, domain, result.accelerators));
        addLeafLevel(result.levels, cluster);
    }
    return result;
}

} // namespace stratoplan::cluster
