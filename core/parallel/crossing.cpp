// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/crossing.h"

#include "core/cluster/drawing.h"

#include <set>
#include <string>

namespace stratoplan::parallel {

namespace {

/// Of nodes with a way down from the switches.
long long acceleratorsUnder(const cluster::Cluster& cluster, const std::string& switches)
{
    std::set<std::string> seen{switches};
    std::vector<std::string> open{switches};
    while (!open.empty()) {
        const std::string upper = open.back();
        open.pop_back();
        for (const cluster::Connection& c : cluster.connections)
            if (endsAt(c, upper) && c.cables > 0)
                if (const std::string& lower = otherEnd(c, upper);
                    height(cluster, lower) < height(cluster, upper) && seen.insert(lower).second)
                    open.push_back(lower);
    }
    long long all = 0;
    for (const cluster::NodeGroup& nodes : cluster.nodes)
        if (seen.contains(nodes.id) && takesPart(nodes))
            all += (long long)(nodes.acceleratorsPerNode) * nodes.count;
    return all;
}

} // namespace

int acceleratorsBelow(const cluster::Cluster& cluster, std::size_t connection)
{
    const cluster::Connection& c = cluster.connections.at(connection);
    const std::string& lower = height(cluster, c.from) <= height(cluster, c.to) ? c.from : c.to;
    const cluster::SwitchGroup* const switches = findSwitches(cluster, lower);
    if (switches == nullptr)
        return smallestIsland(cluster);
    return static_cast<int>(acceleratorsUnder(cluster, lower) / blocksOf(*switches));
}

std::vector<RankGroup> groupsAcross(const Strategy& strategy, const cluster::Cluster& cluster, std::size_t connection)
{
    const int unit = acceleratorsBelow(cluster, connection);
    std::vector<RankGroup> groups;
    for (const RankGroup group :
        {RankGroup::Tensor, RankGroup::Context, RankGroup::Expert, RankGroup::Pipeline, RankGroup::DataContext})
        if (unit > 0 && ranksInside(strategy, group, unit) < groupSize(strategy, group))
            groups.push_back(group);
    return groups;
}

} // namespace stratoplan::parallel
