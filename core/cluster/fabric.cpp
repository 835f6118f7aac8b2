// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/fabric.h"

#include "core/cluster/bundles.h"
#include "core/cluster/cuts.h"
#include "core/cluster/parts.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace stratoplan::cluster {

namespace {

/// Of a group of nodes, to switches.
long long cablesOf(const Cluster& cluster, std::string_view id)
{
    long long cables = 0;
    for (const Connection& c : cluster.connections)
        cables += switchesAt(cluster, c, id) != nullptr ? c.cables : 0;
    return cables;
}

/// The highest group of the part that another one is in.
const SwitchGroup& topOf(const Cluster& cluster, const Parts& parts, std::size_t group)
{
    const SwitchGroup* top = &cluster.switches[group];
    for (std::size_t i = 0; i < cluster.switches.size(); ++i)
        if (parts.has(i) && parts.partOf(i) == parts.partOf(group) && cluster.switches[i].tier > top->tier)
            top = &cluster.switches[i];
    return *top;
}

/// Of switches that are not joined to one another, over the group above that lacks the fewest cables for it, whether
/// it has any yet or not.
Gap apart(const Cluster& cluster, const SwitchGroup& group, const Parts& parts)
{
    Gap gap{GapKind::Switches, group.id, 0, parts.piecesOf(parts.indexOf(group.id))};
    const std::size_t lower = parts.indexOf(group.id);
    bool any = false;
    for (const SwitchGroup& upper : cluster.switches) {
        if (upper.tier <= group.tier || upper.count <= 0)
            continue;
        const long long cables = cablesBetween(cluster, group.id, upper.id);
        const long long needed = parts.cablesToJoin(lower, parts.indexOf(upper.id));
        if (!any || needed - cables < gap.limit - gap.found) {
            gap.found = cables;
            gap.limit = needed;
            any = true;
        }
    }
    return gap;
}

/// The parts that each node of a group has cables to, in order; where there is none, why is added to `found`: nodes
/// without a cable, or to any one part, or switches that are apart.
std::vector<std::size_t> partsOf(
    const Cluster& cluster, const NodeGroup& group, const Parts& parts, std::vector<Gap>& found)
{
    if (const long long all = cablesOf(cluster, group.id); all < group.count) {
        found.push_back({GapKind::Nodes, group.id, all, group.count});
        return {};
    }
    std::map<std::size_t, long long> cables; // to each part that is whole
    std::vector<const SwitchGroup*> broken;
    for (const Connection& c : cluster.connections) {
        const SwitchGroup* const switches = switchesAt(cluster, c, group.id);
        if (switches == nullptr)
            continue;
        const std::size_t at = parts.indexOf(switches->id);
        if (parts.piecesOf(at) == 1)
            cables[parts.partOf(at)] += c.cables;
        else
            broken.push_back(&topOf(cluster, parts, at));
    }
    std::vector<std::size_t> reached;
    long long most = 0;
    for (const auto& [part, count] : cables) {
        most = std::max(most, count);
        if (count >= group.count)
            reached.push_back(part);
    }
    if (!reached.empty())
        return reached;
    for (const SwitchGroup* switches : broken)
        if (std::ranges::find(found, switches->id, &Gap::element) == found.end())
            found.push_back(apart(cluster, *switches, parts));
    if (broken.empty()) // each has one, but none of the parts has all
        found.push_back({GapKind::Scattered, group.id, most, group.count});
    return reached;
}

/// Whether switches that are told of as apart join those that the group has cables to.
bool endsAtBroken(const Cluster& cluster, const NodeGroup& group, const std::vector<Gap>& found)
{
    return std::ranges::any_of(found, [&](const Gap& gap) {
        return gap.kind == GapKind::Switches && std::ranges::any_of(cluster.connections, [&](const Connection& c) {
            return c.cables > 0 && endsAt(c, gap.element) && endsAt(c, group.id);
        });
    });
}

/// Accelerators of the group that a gap in it leaves joined.
int joinedOf(const Parts& parts, const NodeGroup& group, const Gap& gap)
{
    switch (gap.kind) {
    case GapKind::Nodes:
    case GapKind::Scattered:
        return static_cast<int>(gap.found) * group.acceleratorsPerNode;
    case GapKind::Switches: // those under one of them
        return static_cast<int>(
            group.acceleratorsPerNode * group.count / std::max(1LL, parts.piecesOf(parts.indexOf(gap.element))));
    case GapKind::Part:
        break;
    }
    return 0;
}

/// The first group of nodes, behind another one, that no way up and then down leads from to all others, though cables
/// join the switches.
void addHeldBack(const Cluster& cluster, int island, std::vector<Gap>& found)
{
    std::vector<const NodeGroup*> groups;
    for (const NodeGroup& group : cluster.nodes)
        if (takesPart(group))
            groups.push_back(&group);
    for (const Cut& cut : cuts(cluster)) {
        if (cut.heldBack.empty())
            continue;
        std::size_t i = cut.heldBack.front();
        const int nodes = static_cast<int>(cut.accelerators) / groups[i]->acceleratorsPerNode;
        if (nodes < groups[i]->count) {
            found.push_back({GapKind::Scattered, groups[i]->id, nodes, groups[i]->count,
                std::max(island, static_cast<int>(cut.accelerators))});
            return;
        }
        if (i == 0) // what is apart is told of the one behind
            i = cut.heldBack.size() > 1 ? cut.heldBack[1] : std::min<std::size_t>(1, groups.size() - 1);
        int before = 0;
        for (std::size_t earlier = 0; earlier < i; ++earlier)
            before += groups[earlier]->acceleratorsPerNode * groups[earlier]->count;
        found.push_back({GapKind::Part, groups[i]->id, 0, 0, std::max(island, before)});
        return;
    }
}

} // namespace

bool isDrawn(const Cluster& cluster)
{
    return !cluster.switches.empty() || !cluster.connections.empty();
}

NodePorts nodePorts(const Cluster& cluster, const NodeGroup& group)
{
    const BytesPerSecond ofNic = sustained(group.nic);
    if (!isDrawn(cluster))
        return {double(group.nicsPerNode), ofNic * double(group.nicsPerNode), ofNic};
    std::vector<Bundle> bundles;
    long long all = 0;
    for (const Connection& c : cluster.connections)
        if (switchesAt(cluster, c, group.id) != nullptr) {
            bundles.push_back({std::min(ofNic, sustained(c.link)), c.cables});
            all += c.cables;
        }
    if (bundles.empty() || group.count <= 0)
        return {};
    const bool each = all >= group.count; // else of the nodes that have one
    const Alike alike = mostAlike(std::move(bundles), each ? group.count : all, group.nicsPerNode);
    const BytesPerSecond ofAll = alike.rate * double(alike.cables);
    const bool same = alike.rate == alike.fastest || alike.cables == 0;
    return {same ? double(alike.cables) : ofAll / alike.fastest, ofAll, alike.fastest};
}

std::vector<Gap> missingCables(const Cluster& cluster)
{
    std::vector<Gap> found;
    const int island = smallestIsland(cluster);
    if (!isDrawn(cluster) || acceleratorCount(cluster) <= island)
        return found;
    const Parts parts(cluster);
    std::optional<std::vector<std::size_t>> common; // parts that all groups so far have cables to
    int before = 0; // accelerators of the groups so far
    for (const NodeGroup& group : cluster.nodes) {
        if (!takesPart(group))
            continue;
        const std::size_t known = found.size();
        const std::vector<std::size_t> reached = partsOf(cluster, group, parts, found);
        std::vector<std::size_t> shared = reached;
        if (common) {
            shared.clear();
            std::ranges::set_intersection(*common, reached, std::back_inserter(shared));
        }
        const bool isBroken = found.size() > known || endsAtBroken(cluster, group, found);
        if (!isBroken && shared.empty())
            found.push_back({GapKind::Part, group.id});
        for (std::size_t i = known; i < found.size(); ++i)
            found[i].joined = std::max(island, before + joinedOf(parts, group, found[i]));
        if (!isBroken && !shared.empty())
            common = std::move(shared);
        before += group.acceleratorsPerNode * group.count;
    }
    return found;
}

std::vector<Gap> gaps(const Cluster& cluster)
{
    std::vector<Gap> found = missingCables(cluster);
    const int island = smallestIsland(cluster);
    if (found.empty() && isDrawn(cluster) && acceleratorCount(cluster) > island)
        addHeldBack(cluster, island, found);
    return found;
}

} // namespace stratoplan::cluster
