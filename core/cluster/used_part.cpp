// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/used_part.h"

#include "core/cluster/bundles.h"
#include "core/cluster/drawing.h"
#include "core/cluster/fabric.h"
#include "core/cluster/parts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::cluster {
namespace {

/// Switches that a way leads up to from a node that takes part.
std::set<std::string_view> switchesAbove(const Cluster& cluster)
{
    std::map<std::string_view, int> heights;
    std::map<std::string_view, std::vector<std::string_view>> above;
    std::vector<std::string_view> open;
    for (const SwitchGroup& switches : cluster.switches)
        heights[switches.id] = 1 + static_cast<int>(switches.tier);
    for (const NodeGroup& group : cluster.nodes)
        if (takesPart(group))
            open.push_back(group.id);
    for (const Connection& c : cluster.connections) {
        if (c.cables <= 0 || heights[c.from] == heights[c.to])
            continue;
        const bool leadsUp = heights[c.from] < heights[c.to];
        above[leadsUp ? c.from : c.to].push_back(leadsUp ? c.to : c.from);
    }
    std::set<std::string_view> seen;
    while (!open.empty()) {
        const std::string_view lower = open.back();
        open.pop_back();
        for (const std::string_view upper : above[lower])
            if (seen.insert(upper).second)
                open.push_back(upper);
    }
    return seen;
}

} // namespace

std::size_t usedGroups(const Cluster& cluster, int ranks)
{
    std::size_t used = 0;
    for (std::size_t i = 0; i < cluster.nodes.size() && ranks > 0; ++i)
        if (const NodeGroup& group = cluster.nodes[i]; takesPart(group)) {
            used = i + 1;
            ranks -= group.acceleratorsPerNode * group.count;
        }
    return used;
}

std::vector<int> usedAccelerators(const Cluster& cluster, int ranks)
{
    std::vector<int> used;
    for (const NodeGroup& group : cluster.nodes) {
        used.push_back(takesPart(group) ? std::clamp(ranks, 0, group.acceleratorsPerNode * group.count) : 0);
        ranks -= used.back();
    }
    return used;
}

Cluster usedPart(Cluster cluster, std::size_t groups)
{
    if (groups >= cluster.nodes.size())
        return cluster;
    cluster.nodes.resize(groups);
    const std::set<std::string_view> above = switchesAbove(cluster);
    std::set<std::string, std::less<>> used(above.begin(), above.end());
    std::erase_if(cluster.switches, [&](const SwitchGroup& switches) { return !used.contains(switches.id); });
    for (const NodeGroup& group : cluster.nodes)
        used.insert(group.id);
    std::erase_if(
        cluster.connections, [&](const Connection& c) { return !used.contains(c.from) || !used.contains(c.to); });
    return cluster;
}

std::vector<bool> hangTogether(const Cluster& cluster)
{
    std::vector<bool> together(cluster.nodes.size(), true);
    const std::vector<long long> blocks = blocksApart(cluster);
    for (const Connection& c : cluster.connections)
        for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
            if (const SwitchGroup* switches = switchesAt(cluster, c, cluster.nodes[n].id); c.cables > 0 && switches)
                together[n] = together[n] && blocks[std::size_t(switches - cluster.switches.data())] == 1;
    return together;
}

UsedNodes usedNodes(const Cluster& cluster, const std::vector<bool>& together, int ranks)
{
    UsedNodes used;
    for (std::size_t i = 0; i < cluster.nodes.size() && ranks > 0; ++i) {
        const NodeGroup& group = cluster.nodes[i];
        if (!takesPart(group))
            continue;
        const int needed = (ranks + group.acceleratorsPerNode - 1) / group.acceleratorsPerNode;
        used = {i + 1, together[i] ? std::min(group.count, needed) : group.count};
        ranks -= group.acceleratorsPerNode * group.count;
    }
    return used;
}

Cluster usedPart(Cluster cluster, const UsedNodes& used)
{
    cluster = usedPart(std::move(cluster), used.groups);
    if (used.groups == 0 || used.ofLast >= cluster.nodes[used.groups - 1].count)
        return cluster;
    NodeGroup& last = cluster.nodes[used.groups - 1];
    std::vector<Connection*> dealt;
    for (Connection& c : cluster.connections)
        if (switchesAt(cluster, c, last.id) != nullptr && c.cables > 0)
            dealt.push_back(&c);
    std::ranges::stable_sort(dealt, std::ranges::greater(), [](const Connection* c) { return sustained(c->link); });
    std::vector<long long> cables;
    for (const Connection* c : dealt)
        cables.push_back(c->cables);
    // The first ones have one more where they cannot all have as many: these are used.
    const std::vector<Deal> deals = deal(cables, last.count);
    for (std::size_t i = 0; i < dealt.size(); ++i)
        dealt[i]->cables = int(deals[i].cablesOf(0, used.ofLast));
    last.count = used.ofLast;
    return cluster;
}

int joinedAccelerators(const Cluster& cluster)
{
    if (gaps(cluster).empty())
        return acceleratorCount(cluster);
    // What is apart stays apart with more groups: no switch that joins nodes is left out.
    std::size_t least = 1, most = cluster.nodes.size();
    while (least < most) {
        const std::size_t middle = (least + most) / 2;
        if (gaps(usedPart(cluster, middle)).empty())
            least = middle + 1;
        else
            most = middle;
    }
    const Cluster broken = usedPart(cluster, least);
    int joined = acceleratorCount(broken);
    for (const Gap& gap : gaps(broken))
        joined = std::min(joined, gap.joined);
    return std::max(joined, acceleratorCount(usedPart(cluster, least - 1)));
}

} // namespace stratoplan::cluster
