// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/new_switches.h"

#include <algorithm>
#include <string>

namespace stratoplan::cluster {
namespace {

std::string freeId(const Cluster& cluster, const std::string& stem)
{
    const auto taken = [&cluster](const std::string& id) {
        return std::ranges::find(cluster.nodes, id, &NodeGroup::id) != cluster.nodes.end()
            || std::ranges::find(cluster.switches, id, &SwitchGroup::id) != cluster.switches.end();
    };
    std::string id = stem;
    for (int n = 2; taken(id); ++n)
        id = stem + "-" + std::to_string(n);
    return id;
}

} // namespace

SwitchGroup newSwitches(const Cluster& cluster, SwitchTier tier, int ports, long long count)
{
    SwitchGroup group;
    group.id = freeId(cluster, std::string(key(tier)));
    group.name = tier == SwitchTier::Leaf ? "Leaf" : tier == SwitchTier::Spine ? "Spine" : "Core";
    group.tier = tier;
    group.ports = ports;
    group.count = static_cast<int>(count);
    return group;
}

} // namespace stratoplan::cluster
