// SPDX-License-Identifier: Apache-2.0
// Which switches of a network are alike, so that groups of a cluster stand for them: pods, what spines join without the
// cores, and the leaves of these.
#pragma once

#include "core/wiring/described.h"

#include <map>
#include <string>
#include <vector>

namespace stratoplan::wiring {

/// By switch, leaves first, a number for each set that nothing joins to the others; leaves that stand alone have the
/// same one, as a group of leaves without cables upwards says that they are apart.
struct NetworkParts {
    std::vector<int> ofSwitch;
    int count = 0;
};
/// By switches of tiers up to the highest alone.
[[nodiscard]] NetworkParts partsOf(const DescribedNetwork& network, cluster::SwitchTier highest);

/// What leaves that are alike agree in.
struct LeafKind {
    std::map<std::size_t, int> nodes;
    int uplinks = 0;
    bool toSpines = false, toCores = false; ///< which tiers they have cables to
    int part = 0; ///< of the network
    auto operator<=>(const LeafKind&) const = default;
};

struct LeafGroup {
    const DescribedNetwork::Leaf* leaf = nullptr; ///< the first of them
    int count = 0;
    std::string id = {};
};

/// Pods that are alike. A leaf that leads to no spine is one of its own.
struct PodGroup {
    int pods = 0;
    int spines = 0; ///< of all of them
    std::string spinesId = {};
    std::vector<LeafGroup> leaves = {}; ///< in the order of their first leaves
};

struct PodGroups {
    std::vector<PodGroup> groups; ///< in the order of their first leaves
    std::vector<std::size_t> ofSwitch; ///< the group, leaves first; of no account for cores
    std::vector<std::size_t> ofLeaf; ///< by leaf, its place among the leaves of that group
    int podsWithSpines = 0;

    [[nodiscard]] const LeafGroup& leaves(std::size_t leaf) const
    {
        return groups[ofSwitch[leaf]].leaves[ofLeaf[leaf]];
    }
};
/// Pods of unlike nodes are groups of their own, so that the nodes of each stand side by side, unless that makes more
/// groups than a plan may have. Where unlike pods alone do, those of a part are taken for one.
[[nodiscard]] PodGroups podGroups(const DescribedNetwork& network, const NetworkParts& parts);

/// Groups of nodes below them.
[[nodiscard]] std::size_t nodeGroups(const PodGroups& pods);
[[nodiscard]] std::size_t leafGroups(const PodGroups& pods);

} // namespace stratoplan::wiring
