// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cluster.h"

#include "core/cluster/cuts.h"
#include "core/cluster/fabric.h"
#include "core/units/named.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
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

/// That of the smallest domain that is a torus of so many accelerators or more; nothing where none is.
std::optional<Torus> torusOf(const std::vector<const NodeGroup*>& groups, int accelerators)
{
    const NodeGroup* smallest = nullptr;
    for (const NodeGroup* group : groups)
        if (group->torus && isValid(*group->torus) && sizeOf(*group->torus) >= accelerators
            && (smallest == nullptr || domainSize(*group) < domainSize(*smallest)))
            smallest = group;
    return smallest != nullptr ? smallest->torus : std::nullopt;
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
    level.torus = torusOf(groups, level.size);
    return level;
}

/// What joins such parts of its nodes as the smallest domain of any group is; null where the network does.
const Link* joinsParts(const NodeGroup& group)
{
    if (group.inNode)
        return &*group.inNode;
    return domainSize(group) >= group.acceleratorsPerNode ? &group.scaleUp : nullptr;
}

/// Between the domains of a node, where every group has links for that; nothing where nodes have one domain each.
std::optional<TopologyLevel> inNodeLevel(const std::vector<const NodeGroup*>& groups, int domain)
{
    TopologyLevel level;
    level.isBypassed = true;
    bool first = true;
    for (const NodeGroup* group : groups) {
        const Link* const joins = joinsParts(*group);
        if (joins == nullptr || group->acceleratorsPerNode <= domain)
            return {};
        const BytesPerSecond ofDomain = sustained(*joins) * double(domain);
        if (first || ofDomain < level.bandwidth) {
            level.name = joins->name;
            level.bandwidth = ofDomain;
        }
        level.size = first ? group->acceleratorsPerNode : std::min(level.size, group->acceleratorsPerNode);
        level.latency = first ? joins->latency : std::max(level.latency, joins->latency);
        first = false;
    }
    level.size = level.size / domain * domain;
    level.ports = domain;
    return level;
}

/// `unit`: size of the level below, which may be smaller than a domain or node of some groups. Of a group without
/// cables nothing is reached.
TopologyLevel networkLevel(
    const Cluster& cluster, const std::vector<const NodeGroup*>& groups, int unit, int accelerators)
{
    TopologyLevel level;
    level.size = accelerators;
    bool first = true;
    BytesPerSecond fastest{}, fastestThere{}; // of one port, over all groups, and of the slowest
    for (const NodeGroup* group : groups) {
        const NodePorts ofNode = nodePorts(cluster, *group);
        const double nodes = double(unit) / group->acceleratorsPerNode;
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

/// Whether all switches of a drawn network do: what one of them does not sum up is not summed up on the way.
bool reducesOnTheWay(const Cluster& cluster)
{
    bool any = false;
    for (const SwitchGroup& group : cluster.switches) {
        if (group.count > 0 && !group.reduces)
            return false;
        any = any || group.count > 0;
    }
    return any;
}

/// A level for each cut that carries less than what comes from below.
void addUplinkLevels(std::vector<TopologyLevel>& levels, const Cluster& cluster, const std::vector<std::size_t>& groups)
{
    if (!isDrawn(cluster))
        return;
    constexpr double kRounding = 1e-12;
    const TopologyLevel network = levels.back();
    const int below = levels[levels.size() - 2].size; // what sends over the network as one
    const std::size_t fewest = levels.size();
    for (const Cut& cut : cuts(cluster, groups)) {
        const int run = std::max(below, int(cut.accelerators * (1 + kRounding)));
        const double share = cut.ofAccelerator * double(below) / network.bandwidth;
        if (share >= 1 - kRounding || !(share > 0) || run >= network.size)
            continue;
        if (!cut.tier) { // a rank alone drives one port as before: uplinks serve all of a node
            levels.back().bandwidth *= share;
            levels.back().ports = std::max(1.0, levels.back().ports * share);
            continue;
        }
        const bool isFull = levels.size() == kMostLevels; // one for two: as small as the first, as slow as the second
        if (levels[levels.size() - 2].size < run && !isFull) {
            levels.back().size = run;
            levels.push_back(network);
            levels.back().ports = 1;
        }
        if (levels.size() > fewest) {
            TopologyLevel& unit = levels[levels.size() - 2];
            const int alignment = std::gcd(unit.alignment > 0 ? unit.alignment : unit.size, cut.alignment);
            unit.alignment = alignment < unit.size ? alignment : 0;
        }
        TopologyLevel& level = levels.back();
        level.name = *cut.tier == SwitchTier::Leaf ? "leaf uplinks" : "pod uplinks";
        const BytesPerSecond bandwidth = cut.ofAccelerator * double(levels[levels.size() - 2].size);
        level.ports = std::max(1.0, level.ports * std::min(1.0, bandwidth / level.bandwidth));
        level.bandwidth = bandwidth;
    }
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

int smallestIsland(const Cluster& cluster)
{
    std::vector<const NodeGroup*> groups;
    for (const NodeGroup& group : cluster.nodes)
        if (takesPart(group))
            groups.push_back(&group);
    const int domain = smallestDomain(cluster);
    const auto inNode = inNodeLevel(groups, domain);
    return inNode && !groups.empty() ? inNode->size : domain;
}

Bytes smallestMemory(const Cluster& cluster)
{
    Bytes smallest(std::numeric_limits<double>::infinity());
    for (const NodeGroup& group : cluster.nodes)
        if (takesPart(group))
            smallest = std::min(smallest, group.accelerator.memory);
    return smallest;
}

Bytes largestMemory(const Cluster& cluster)
{
    Bytes largest{};
    for (const NodeGroup& group : cluster.nodes)
        if (takesPart(group))
            largest = std::max(largest, group.accelerator.memory);
    return largest;
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
    std::vector<std::size_t> all(cluster.nodes.size());
    std::iota(all.begin(), all.end(), 0);
    return topology(cluster, all);
}

Topology topology(const Cluster& cluster, const std::vector<std::size_t>& places)
{
    Topology result;
    result.accelerators = acceleratorCount(cluster);
    std::vector<const NodeGroup*> groups;
    for (const std::size_t place : places)
        if (takesPart(cluster.nodes[place]))
            groups.push_back(&cluster.nodes[place]);
    if (groups.empty())
        return result;
    result.levels.push_back(scaleUpLevel(groups));
    if (const auto inNode = inNodeLevel(groups, result.levels.front().size))
        result.levels.push_back(*inNode);
    const int island = result.levels.back().size;
    if (result.accelerators > island) {
        result.levels.push_back(networkLevel(cluster, groups, island, result.accelerators));
        result.levels.back().reduces = reducesOnTheWay(cluster);
        addUplinkLevels(result.levels, cluster, places);
    }
    return result;
}

} // namespace stratoplan::cluster
