// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cluster.h"

#include "core/cluster/fabric.h"
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

/// Accelerators of the group that reach one another over the scale-up links.
int domainSize(const NodeGroup& group)
{
    return std::clamp(group.scaleUpDomain, 1, group.acceleratorsPerNode * group.count);
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

/// `domain`: size of level 0, which may be smaller than the domain of some groups. Of a group without cables nothing is
/// reached.
TopologyLevel networkLevel(
    const Cluster& cluster, const std::vector<const NodeGroup*>& groups, int domain, int accelerators)
{
    TopologyLevel level;
    level.size = accelerators;
    bool first = true;
    BytesPerSecond fastest{}, fastestThere{}; // of one port, over all groups, and of the slowest
    for (const NodeGroup* group : groups) {
        const NodePorts ofNode = nodePorts(cluster, *group);
        const double nodes = double(domain) / group->acceleratorsPerNode;
        if (ofNode.bandwidth <= BytesPerSecond{})
            continue;
        if (first || ofNode.bandwidth * nodes < level.bandwidth) {
            level.name = group->nic.name;
            level.bandwidth = ofNode.bandwidth * nodes;
            level.ports = ofNode.count * nodes;
            fastestThere = ofNode.fastest;
        }
        level.latency = first ? group->nic.latency : std::max(level.latency, group->nic.latency);
        fastest = first ? ofNode.fastest : std::min(fastest, ofNode.fastest);
        first = false;
    }
    if (fastest < fastestThere) // a rank alone drives one port, of any group
        level.ports = level.bandwidth / fastest;
    return level;
}

/// Splits the network level in two where the leaf uplinks carry less than the nodes can send. Nodes are taken as cabled
/// to one leaf each.
void addLeafLevel(
    std::vector<TopologyLevel>& levels, const Cluster& cluster, const std::vector<const NodeGroup*>& groups)
{
    if (!isDrawn(cluster))
        return;
    const TopologyLevel network = levels[1];
    const int domain = levels[0].size, units = leafUnits(cluster);
    const int domains = std::max(1, network.size / domain / std::max(1, units));
    if (units < 2 || domains * domain >= network.size)
        return;
    double nodes = 0; // of a domain, in the group with the most
    for (const NodeGroup* group : groups)
        nodes = std::max(nodes, double(domain) / group->acceleratorsPerNode);
    constexpr double kRounding = 1e-12;
    const double share = uplinksOfNode(cluster) * nodes / network.bandwidth;
    if (share >= 1 - kRounding || !(share > 0))
        return;
    TopologyLevel uplinks = network;
    uplinks.name = "leaf uplinks";
    uplinks.bandwidth = network.bandwidth * (domains * share);
    uplinks.ports = network.ports * domains * share;
    levels[1].size = domains * domain;
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

int smallestDomain(const Cluster& cluster)
{
    int smallest = std::numeric_limits<int>::max();
    for (const NodeGroup& group : cluster.nodes)
        if (takesPart(group))
            smallest = std::min(smallest, domainSize(group));
    return smallest == std::numeric_limits<int>::max() ? 1 : smallest;
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
        result.levels.push_back(networkLevel(cluster, groups, domain, result.accelerators));
        addLeafLevel(result.levels, cluster, groups);
    }
    return result;
}

} // namespace stratoplan::cluster
