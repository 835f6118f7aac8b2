// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/joined_parts.h"

#include "core/cluster/network_shapes.h"

#include <algorithm>
#include <set>
#include <utility>

namespace stratoplan::cluster {
namespace {

/// Ids of all elements that a path of cables leads to.
std::set<std::string> reachedFrom(const Cluster& cluster, const std::string& id)
{
    std::set<std::string> reached{id};
    for (std::size_t before = 0; before != reached.size();) {
        before = reached.size();
        for (const Connection& c : cluster.connections)
            if (c.cables > 0 && (reached.contains(c.from) || reached.contains(c.to)))
                reached.insert({c.from, c.to});
    }
    return reached;
}

/// The highest switches of a part; nullptr: it has none.
SwitchGroup* topOf(Cluster& cluster, const std::set<std::string>& part)
{
    SwitchGroup* top = nullptr;
    for (SwitchGroup& group : cluster.switches)
        if (part.contains(group.id) && (top == nullptr || group.tier > top->tier))
            top = &group;
    return top;
}

/// Cables at switches of the highest tier, which all come from below, and what they are.
std::pair<int, Link> cablesOf(const Cluster& cluster, const std::string& id)
{
    std::pair<int, Link> found{0, {}};
    for (const Connection& c : cluster.connections)
        if (c.cables > 0 && (c.from == id || c.to == id)) {
            found.first += c.cables;
            found.second = c.link;
        }
    return found;
}

constexpr int over(int whole, int part)
{
    return (whole + part - 1) / part;
}

/// As many switches as hold the cables, in blocks that stay alike.
void makeRoom(Cluster& cluster, const std::string& id)
{
    SwitchGroup& group = *std::ranges::find(cluster.switches, id, &SwitchGroup::id);
    if (group.ports <= 0)
        return;
    const int blocks = blocksOf(group);
    const int needed = over(over(cablesOf(cluster, id).first, group.ports), blocks) * blocks;
    group.count = std::max(group.count, needed);
}

/// New switches of the tier above; their id.
std::string addAbove(Cluster& cluster, SwitchTier tier)
{
    const bool isSpine = tier == SwitchTier::Leaf;
    const std::string stem = isSpine ? "spine" : "core";
    const auto isTaken = [&](const std::string& id) {
        return std::ranges::find(cluster.nodes, id, &NodeGroup::id) != cluster.nodes.end()
            || std::ranges::find(cluster.switches, id, &SwitchGroup::id) != cluster.switches.end();
    };
    std::string id = stem;
    for (int n = 2; isTaken(id); ++n)
        id = stem + "-" + std::to_string(n);
    cluster.switches.push_back(
        {id, isSpine ? "Spine" : "Core", isSpine ? SwitchTier::Spine : SwitchTier::Core, kRadix, 1});
    return id;
}

} // namespace

std::optional<JoinedParts> joinedParts(const Cluster& cluster, std::string_view id)
{
    const auto first = std::ranges::find_if(cluster.nodes, [](const NodeGroup& g) { return takesPart(g); });
    if (first == cluster.nodes.end())
        return std::nullopt;
    JoinedParts joined{cluster, {}, {}};
    const std::set<std::string> near = reachedFrom(cluster, first->id), far = reachedFrom(cluster, std::string(id));
    SwitchGroup *nearTop = topOf(joined.cluster, near), *farTop = topOf(joined.cluster, far);
    if (near.contains(std::string(id)) || nearTop == nullptr || farTop == nullptr)
        return std::nullopt;
    const auto link = [&joined](const std::string& lower, const std::string& upper) {
        const auto [cables, kind] = cablesOf(joined.cluster, lower);
        joined.cluster.connections.push_back({lower, upper, kind, cables});
        makeRoom(joined.cluster, lower);
    };
    const SwitchTier tier = farTop->tier;
    const bool isAlike = tier == nearTop->tier;
    const bool isBelow = tier <= nearTop->tier; // else the first nodes' end below those of the others
    joined.lower = isBelow ? farTop->id : nearTop->id;
    joined.upper = isBelow ? nearTop->id : farTop->id;
    if (isAlike) {
        if (tier == SwitchTier::Core)
            return std::nullopt;
        const std::string other = joined.upper;
        joined.upper = addAbove(joined.cluster, tier);
        link(other, joined.upper);
    }
    link(joined.lower, joined.upper);
    makeRoom(joined.cluster, joined.upper);
    return joined;
}

} // namespace stratoplan::cluster
