// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/used_part.h"

#include <algorithm>
#include <map>
#include <set>
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
    for (std::size_t i = groups; i < cluster.nodes.size(); ++i)
        cluster.nodes[i].count = 0;
    const std::set<std::string_view> used = switchesAbove(cluster);
    for (SwitchGroup& switches : cluster.switches)
        if (!used.contains(switches.id))
            switches.count = 0;
    return cluster;
}

} // namespace stratoplan::cluster
