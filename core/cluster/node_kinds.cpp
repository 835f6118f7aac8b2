// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/node_kinds.h"

#include <algorithm>

namespace stratoplan::cluster {

bool areAlike(const NodeGroup& a, const NodeGroup& b)
{
    return a.accelerator == b.accelerator && a.acceleratorsPerNode == b.acceleratorsPerNode
        && a.scaleUpDomain == b.scaleUpDomain && a.torus == b.torus && a.scaleUp == b.scaleUp && a.inNode == b.inNode
        && a.nic == b.nic && a.nicsPerNode == b.nicsPerNode && a.hostLink == b.hostLink && a.hostMemory == b.hostMemory
        && a.hostMemoryBandwidth == b.hostMemoryBandwidth;
}

Cluster nodesOfRanks(const Cluster& cluster, double ranks)
{
    Cluster used;
    for (const NodeGroup& group : cluster.nodes) {
        if (!takesPart(group))
            continue;
        if (!(ranks > 0))
            break;
        used.nodes.push_back(group);
        ranks -= double(group.acceleratorsPerNode) * group.count;
    }
    return used;
}

double boardWatts(const Cluster& cluster, int ranks)
{
    double watts = 0;
    for (const NodeGroup& group : cluster.nodes) {
        if (!takesPart(group))
            continue;
        const int used = std::min(ranks, group.acceleratorsPerNode * group.count);
        watts += group.accelerator.watts * used;
        ranks -= used;
    }
    return watts;
}

NodeKinds::NodeKinds(const Cluster& cluster)
{
    std::vector<const NodeGroup*> firsts; // of each kind
    int accelerators = 0;
    for (const NodeGroup& group : cluster.nodes) {
        if (!takesPart(group)) {
            m_ofGroup.push_back(-1);
            continue;
        }
        const auto known =
            std::ranges::find_if(firsts, [&](const NodeGroup* first) { return areAlike(*first, group); });
        const int kind = int(known - firsts.begin());
        if (known == firsts.end())
            firsts.push_back(&group);
        m_ofGroup.push_back(kind);
        const int count = group.acceleratorsPerNode * group.count;
        if (!m_runs.empty() && m_runs.back().kind == kind)
            m_runs.back().count += count;
        else
            m_runs.push_back({kind, accelerators, count});
        accelerators += count;
    }
    m_count = int(firsts.size());
}

std::vector<std::size_t> NodeKinds::groupsOf(const KindSet& kinds) const
{
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < m_ofGroup.size(); ++i)
        if (std::ranges::binary_search(kinds, m_ofGroup[i]))
            groups.push_back(i);
    return groups;
}

} // namespace stratoplan::cluster
