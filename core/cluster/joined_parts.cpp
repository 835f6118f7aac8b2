// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/joined_parts.h"

#include "core/cluster/drawing.h"
#include "core/cluster/network_shapes.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

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

/// Ids of the highest switches of a part, of one tier.
std::vector<std::string> topsOf(const Cluster& cluster, const std::set<std::string>& part)
{
    std::vector<std::string> tops;
    SwitchTier tier{};
    for (const SwitchGroup& group : cluster.switches) {
        if (!part.contains(group.id) || (!tops.empty() && group.tier < tier))
            continue;
        if (tops.empty() || group.tier > tier)
            tops.clear();
        tier = group.tier;
        tops.push_back(group.id);
    }
    return tops;
}

SwitchGroup& switchesOf(Cluster& cluster, const std::string& id)
{
    return *std::ranges::find(cluster.switches, id, &SwitchGroup::id);
}

/// Cables that end at switches, and what the last of them are.
std::pair<long long, Link> cablesOf(const Cluster& cluster, const std::string& id)
{
    std::pair<long long, Link> found{0, {}};
    for (const Connection& c : cluster.connections)
        if (c.cables > 0 && (c.from == id || c.to == id)) {
            found.first += c.cables;
            found.second = c.link;
        }
    return found;
}

constexpr long long over(long long whole, long long part)
{
    return (whole + part - 1) / part;
}

/// As many switches as hold the cables, in blocks that stay alike. False: more than a plan may have.
bool makeRoom(Cluster& cluster, const std::string& id)
{
    constexpr long long kMostSwitches = 1'000'000,
                        kMostCables = 100'000'000; // as resources/schema/plan.schema.json has it
    SwitchGroup& group = switchesOf(cluster, id);
    const long long cables = cablesOf(cluster, id).first;
    const long long blocks = blocksOf(group);
    const long long needed = group.ports > 0 ? over(over(cables, group.ports), blocks) * blocks : 0;
    if (needed > kMostSwitches || cables > kMostCables)
        return false;
    group.count = std::max(group.count, int(needed));
    return true;
}

/// Cables upwards, as many as lie below.
bool link(Cluster& cluster, const std::vector<std::string>& lower, const std::string& upper)
{
    return std::ranges::all_of(lower, [&](const std::string& id) {
        const auto [cables, kind] = cablesOf(cluster, id);
        cluster.connections.push_back({id, upper, kind, int(std::min(cables, 1'000'000'000LL))});
        return makeRoom(cluster, id) && makeRoom(cluster, upper);
    });
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
    Cluster& c = joined.cluster;
    const std::set<std::string> ofFirst = reachedFrom(c, first->id), ofOthers = reachedFrom(c, std::string(id));
    const std::vector<std::string> nearTops = topsOf(c, ofFirst), farTops = topsOf(c, ofOthers);
    if (ofFirst.contains(std::string(id)) || nearTops.empty() || farTops.empty())
        return std::nullopt;
    joined.far = farTops.front();
    joined.near = nearTops.front();
    const SwitchTier farTier = switchesOf(c, joined.far).tier, nearTier = switchesOf(c, joined.near).tier;
    joined.isByNew = farTier == nearTier;
    bool hasRoom = false;
    if (!joined.isByNew)
        hasRoom = farTier < nearTier ? link(c, farTops, joined.near) : link(c, nearTops, joined.far);
    else if (farTier != SwitchTier::Core) {
        const std::string above = addAbove(c, farTier);
        hasRoom = link(c, nearTops, above) && link(c, farTops, above);
    }
    return hasRoom ? std::optional(std::move(joined)) : std::nullopt;
}

} // namespace stratoplan::cluster
