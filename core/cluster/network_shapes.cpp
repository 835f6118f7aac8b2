// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/network_shapes.h"

#include "core/cluster/new_switches.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stratoplan::cluster {

namespace {

/// Leaves of groups of nodes with the same NICs.
struct Leaves {
    std::vector<const NodeGroup*> nodes;
    long long count = 0;
    long long blocks = 0; ///< of rails; 0: none
    int radix = kRadix;
    long long up = 0; ///< cables of each upwards, as many as the fullest has nodes' cables below

    [[nodiscard]] long long nodeCount() const
    {
        long long all = 0;
        for (const NodeGroup* group : nodes)
            all += group->count;
        return all;
    }
    [[nodiscard]] long long ports() const { return nodeCount() * nodes.front()->nicsPerNode; }
    [[nodiscard]] const Link& nic() const { return nodes.front()->nic; }
};

/// So that their numbers, of blocks where there are rails, are a multiple of `pods`.
Leaves leavesOf(std::vector<const NodeGroup*> nodes, NetworkShape shape, long long pods)
{
    Leaves leaves{std::move(nodes)};
    const int nics = leaves.nodes.front()->nicsPerNode;
    const long long count = leaves.nodeCount();
    const auto inPods = [pods](long long least) { return over(least, pods) * pods; };
    if (shape == NetworkShape::RailOptimised) {
        leaves.blocks = inPods(over(count, kRadix / 2));
        leaves.count = leaves.blocks * nics;
        leaves.up = over(count, leaves.blocks);
        return leaves;
    }
    leaves.radix = std::max(kRadix, 2 * nics);
    leaves.count = inPods(over(count, leaves.radix / 2 / nics));
    leaves.up = over(count, leaves.count) * nics;
    return leaves;
}

void addLeaves(Cluster& cluster, const Leaves& leaves)
{
    SwitchGroup group = newSwitches(cluster, SwitchTier::Leaf, leaves.radix, leaves.count);
    group.blocks = static_cast<int>(leaves.blocks);
    for (const NodeGroup* nodes : leaves.nodes)
        cluster.connections.push_back({nodes->id, group.id, nodes->nic, nodes->count * nodes->nicsPerNode});
    cluster.switches.push_back(std::move(group));
}

/// Pods of as many leaves as spines with half of their ports upwards have room for; one where all ports are below.
long long podsFor(const NodeGroup& nodes, NetworkShape shape)
{
    const Leaves leaves = leavesOf({&nodes}, shape, 1);
    if (leaves.count <= kRadix)
        return 1;
    const long long room = kRadix / 2;
    if (shape == NetworkShape::FatTree)
        return over(leaves.count, room);
    return over(leaves.blocks, std::max(1LL, room / nodes.nicsPerNode));
}

std::optional<Cluster> wiredInPods(const Cluster& bare, const NodeGroup& nodes, NetworkShape shape, long long pods)
{
    const Leaves leaves = leavesOf({&nodes}, shape, pods);
    if (pods > kRadix
        || leaves.count / pods > kRadix / 2) // a core switch has a cable to each pod, a spine to each leaf
        return std::nullopt;
    Cluster cluster = bare;
    addLeaves(cluster, leaves);
    const long long uplinks = leaves.count * leaves.up;
    SwitchGroup spines = newSwitches(cluster, SwitchTier::Spine, kRadix, pods * over(uplinks / pods, kRadix / 2));
    spines.blocks = static_cast<int>(pods);
    cluster.connections.push_back({cluster.switches.back().id, spines.id, nodes.nic, static_cast<int>(uplinks)});
    cluster.switches.push_back(std::move(spines));
    SwitchGroup core = newSwitches(cluster, SwitchTier::Core, kRadix, over(uplinks, kRadix));
    cluster.connections.push_back({cluster.switches.back().id, core.id, nodes.nic, static_cast<int>(uplinks)});
    cluster.switches.push_back(std::move(core));
    return cluster;
}

/// Groups that can share leaves: with the same NICs, all on one switch, or in one block of rails; else one each.
std::vector<std::vector<const NodeGroup*>> sharingLeaves(const Cluster& cluster, NetworkShape shape)
{
    std::vector<std::vector<const NodeGroup*>> groups;
    for (const NodeGroup& nodes : cluster.nodes) {
        if (!takesPart(nodes))
            continue;
        const auto fits = [&](const std::vector<const NodeGroup*>& others) {
            const Leaves leaves{others};
            const long long count = leaves.nodeCount() + nodes.count;
            return leaves.nic() == nodes.nic && others.front()->nicsPerNode == nodes.nicsPerNode
                && (count * nodes.nicsPerNode <= kRadix
                    || (shape == NetworkShape::RailOptimised && count <= kRadix / 2));
        };
        const auto found = std::ranges::find_if(groups, fits);
        if (found == groups.end())
            groups.push_back({&nodes});
        else
            found->push_back(&nodes);
    }
    return groups;
}

/// What tells leaves apart: the names of their first nodes, or the ids of these where names do not.
std::vector<std::string> titlesOf(const std::vector<Leaves>& all)
{
    std::set<std::string> names;
    std::vector<std::string> ids, titles;
    for (const Leaves& leaves : all) {
        const NodeGroup& first = *leaves.nodes.front();
        names.insert(first.name);
        titles.push_back(first.name);
        ids.push_back(first.id);
    }
    return names.size() == all.size() && !names.contains("") ? titles : ids;
}

} // namespace

std::optional<Cluster> wired(const Cluster& cluster, NetworkShape shape)
{
    Cluster bare = cluster;
    bare.switches.clear();
    bare.connections.clear();
    std::vector<Leaves> all;
    long long leafCount = 0, uplinks = 0;
    for (std::vector<const NodeGroup*>& nodes : sharingLeaves(cluster, shape)) {
        if (nodes.front()->nicsPerNode <= 0)
            return std::nullopt;
        all.push_back(leavesOf(std::move(nodes), shape, 1));
        leafCount += all.back().count;
        uplinks += all.back().count * all.back().up;
    }
    if (all.empty())
        return std::nullopt;
    if (leafCount > kRadix) // a cable from each to each spine is more than a spine has ports
        return all.size() == 1
            ? wiredInPods(bare, *all.front().nodes.front(), shape, podsFor(*all.front().nodes.front(), shape))
            : std::nullopt;
    Cluster result = bare;
    if (all.size() == 1 && all.front().ports() <= kRadix) { // one switch has room for all
        all.front().count = 1;
        all.front().blocks = 0;
        addLeaves(result, all.front());
        return result;
    }
    const std::vector<std::string> titles = titlesOf(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        addLeaves(result, all[i]);
        if (all.size() > 1)
            result.switches.back().name += " of " + titles[i];
    }
    const SwitchGroup spines = newSwitches(result, SwitchTier::Spine, kRadix, over(uplinks, kRadix));
    for (std::size_t i = 0; i < all.size(); ++i)
        result.connections.push_back(
            {result.switches[i].id, spines.id, all[i].nic(), static_cast<int>(all[i].count * all[i].up)});
    result.switches.push_back(spines);
    return result;
}

} // namespace stratoplan::cluster
