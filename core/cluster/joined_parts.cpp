// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/joined_parts.h"

#include "core/cluster/cluster_edits.h"
#include "core/cluster/drawing.h"
#include "core/cluster/network_shapes.h"
#include "core/cluster/new_switches.h"
#include "core/cluster/parts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace stratoplan::cluster {
namespace {

constexpr long long kMostCables = 100'000'000, kMostSwitches = 1'000'000; // as resources/schema/plan.schema.json has it

/// That the cables of nodes end in.
std::set<std::size_t> partsOfNodes(const Cluster& cluster, const Parts& parts, std::string_view nodes)
{
    std::set<std::size_t> ends;
    for (const Connection& c : cluster.connections)
        if (const SwitchGroup* const group = switchesAt(cluster, c, nodes))
            ends.insert(parts.partOf(parts.indexOf(group->id)));
    return ends;
}

/// Ids of the highest switches in some parts, of one tier.
std::vector<std::string> topsOf(const Cluster& cluster, const Parts& parts, const std::set<std::size_t>& which)
{
    std::vector<std::string> tops;
    SwitchTier tier{};
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
        const SwitchGroup& group = cluster.switches[i];
        if (!which.contains(parts.partOf(i)) || (!tops.empty() && group.tier < tier))
            continue;
        if (tops.empty() || group.tier > tier)
            tops.clear();
        tier = group.tier;
        tops.push_back(group.id);
    }
    return tops;
}

/// Cables that end at switches, and what the last of them are.
std::pair<long long, Link> cablesAt(const Cluster& cluster, std::string_view id)
{
    std::pair<long long, Link> found{0, {}};
    for (const Connection& c : cluster.connections)
        if (endsAt(c, id) && c.cables > 0) {
            found.first += c.cables;
            found.second = c.link;
        }
    return found;
}

/// Cables upwards, as many as lie below. False: more than a plan may have.
bool link(Cluster& cluster, const std::vector<std::string>& lower, const std::string& upper)
{
    for (const std::string& id : lower) {
        const auto [cables, kind] = cablesAt(cluster, id);
        if (cables > kMostCables)
            return false;
        cluster.connections.push_back({id, upper, kind, int(cables)});
        holdCables(cluster, id);
    }
    holdCables(cluster, upper);
    return std::ranges::none_of(cluster.switches, [](const SwitchGroup& g) { return g.count > kMostSwitches; });
}

/// New switches of the tier above, with a port for each cable; their id.
std::string addAbove(Cluster& cluster, SwitchTier tier, const std::vector<std::string>& lower)
{
    long long cables = 0;
    for (const std::string& id : lower)
        cables += cablesAt(cluster, id).first;
    const SwitchTier above = tier == SwitchTier::Leaf ? SwitchTier::Spine : SwitchTier::Core;
    const long long count = std::min(over(cables, kRadix), kMostSwitches);
    cluster.switches.push_back(newSwitches(cluster, above, kRadix, count));
    return cluster.switches.back().id;
}

} // namespace

std::optional<JoinedParts> joinedParts(const Cluster& cluster, std::string_view id)
{
    const auto first = std::ranges::find_if(cluster.nodes, [](const NodeGroup& g) { return takesPart(g); });
    if (first == cluster.nodes.end())
        return std::nullopt;
    const Parts parts(cluster);
    const std::set<std::size_t> near = partsOfNodes(cluster, parts, first->id), far = partsOfNodes(cluster, parts, id);
    const bool meet = std::ranges::any_of(far, [&near](std::size_t part) { return near.contains(part); });
    if (near.empty() || far.empty() || meet)
        return std::nullopt;
    std::vector<std::string> nearTops = topsOf(cluster, parts, near);
    const std::vector<std::string> farTops = topsOf(cluster, parts, far);
    JoinedParts joined{cluster, farTops.front(), nearTops.front()};
    const SwitchTier nearTier = findSwitches(cluster, joined.near)->tier,
                     farTier = findSwitches(cluster, joined.far)->tier;
    joined.isByNew = nearTier == farTier;
    bool isDone = false;
    if (farTier < nearTier)
        isDone = link(joined.cluster, farTops, joined.near);
    else if (nearTier < farTier)
        isDone = link(joined.cluster, nearTops, joined.far);
    else if (nearTier < SwitchTier::Core) {
        nearTops.insert(nearTops.end(), farTops.begin(), farTops.end());
        isDone = link(joined.cluster, nearTops, addAbove(joined.cluster, nearTier, nearTops));
    }
    return isDone ? std::optional(std::move(joined)) : std::nullopt;
}

} // namespace stratoplan::cluster
