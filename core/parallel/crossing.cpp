// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/crossing.h"

#include "core/cluster/cuts.h"
#include "core/cluster/drawing.h"
#include "core/cluster/used_part.h"

#include <set>
#include <string>

namespace stratoplan::parallel {

namespace {

/// The end that is nearer to the nodes.
const std::string& lowerEnd(const cluster::Cluster& cluster, const cluster::Connection& c)
{
    return height(cluster, c.from) <= height(cluster, c.to) ? c.from : c.to;
}

/// The element, and all that it has a way down to.
std::set<std::string> withAllBelow(const cluster::Cluster& cluster, const std::string& element)
{
    std::set<std::string> seen{element};
    std::vector<std::string> open;
    if (findSwitches(cluster, element) != nullptr)
        open.push_back(element);
    while (!open.empty()) {
        const std::string upper = open.back();
        open.pop_back();
        for (const cluster::Connection& c : cluster.connections)
            if (endsAt(c, upper) && c.cables > 0)
                if (const std::string& lower = otherEnd(c, upper);
                    height(cluster, lower) < height(cluster, upper) && seen.insert(lower).second)
                    open.push_back(lower);
    }
    return seen;
}

/// At the lower end of a connection; null where nodes are.
const cluster::SwitchGroup* switchesBelow(const cluster::Cluster& cluster, std::size_t connection)
{
    return findSwitches(cluster, lowerEnd(cluster, cluster.connections.at(connection)));
}

/// Accelerators of these groups of nodes that a block of the switches serves.
double runBelow(
    const cluster::Cluster& cluster, const cluster::SwitchGroup& switches, const std::vector<std::size_t>& groups)
{
    double all = 0;
    for (const std::size_t i : groups)
        all += double(cluster.nodes[i].acceleratorsPerNode) * cluster.nodes[i].count;
    return all / blocksOf(switches);
}

/// Of the ranks of a strategy those that lie on what is below a connection.
int ranksBelow(const Strategy& strategy, const cluster::Cluster& cluster, std::size_t connection)
{
    const std::vector<int> used = cluster::usedAccelerators(cluster, rankCount(strategy));
    int ranks = 0;
    for (const std::size_t group : nodesBelow(cluster, connection))
        ranks += used[group];
    return ranks;
}

} // namespace

std::vector<std::size_t> nodesBelow(const cluster::Cluster& cluster, std::size_t connection)
{
    const std::set<std::string> seen = withAllBelow(cluster, lowerEnd(cluster, cluster.connections.at(connection)));
    std::vector<std::size_t> below;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
        if (takesPart(cluster.nodes[i]) && seen.contains(cluster.nodes[i].id))
            below.push_back(i);
    return below;
}

int acceleratorsBelow(const cluster::Cluster& cluster, std::size_t connection)
{
    const cluster::SwitchGroup* const switches = switchesBelow(cluster, connection);
    return switches == nullptr ? smallestIsland(cluster)
                               : static_cast<int>(runBelow(cluster, *switches, nodesBelow(cluster, connection)));
}

int alignmentBelow(const cluster::Cluster& cluster, std::size_t connection)
{
    const cluster::SwitchGroup* const switches = switchesBelow(cluster, connection);
    if (switches == nullptr)
        return 0;
    const std::vector<std::size_t> below = nodesBelow(cluster, connection);
    return cluster::alignmentOf(cluster, below, runBelow(cluster, *switches, below));
}

std::vector<RankGroup> groupsAcross(const Strategy& strategy, int unit, int alignment)
{
    std::vector<RankGroup> groups;
    for (const RankGroup group :
        {RankGroup::Tensor, RankGroup::Context, RankGroup::Expert, RankGroup::Pipeline, RankGroup::DataContext})
        if (unit > 0 && ranksInside(strategy, group, unit, alignment) < groupSize(strategy, group))
            groups.push_back(group);
    return groups;
}

std::vector<RankGroup> groupsAcross(const Strategy& strategy, const cluster::Cluster& cluster, std::size_t connection)
{
    const int unit = acceleratorsBelow(cluster, connection), ranks = ranksBelow(strategy, cluster, connection);
    const bool areAllInOne = ranks == rankCount(strategy) && ranks <= unit;
    if (cluster.connections.at(connection).cables <= 0 || ranks == 0 || areAllInOne)
        return {};
    return groupsAcross(strategy, unit, alignmentBelow(cluster, connection));
}

} // namespace stratoplan::parallel
