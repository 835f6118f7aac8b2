// SPDX-License-Identifier: Apache-2.0
// What the cables of nodes carry in a drawn network, and which of its groups no arrangement of cables joins. The cables
// between two groups are spread evenly over both of them, within their blocks; those of one node over the leaves of one
// block. While all stay joined, taking a cable away never makes any of these rates higher.
#pragma once

#include "core/cluster/cluster.h"

namespace stratoplan::cluster {

/// Whether a network is drawn. Without one every node reaches every other with all of its NICs.
[[nodiscard]] bool isDrawn(const Cluster& cluster);

/// Of one node, in each direction.
struct NodePorts {
    double count = 0; ///< NICs with a cable; where these are unlike, as many of the fastest
    BytesPerSecond bandwidth{}; ///< of all of them, sustained by NIC and cable
    BytesPerSecond fastest{}; ///< of them
    bool operator==(const NodePorts&) const = default;
};
/// Of the node of the group that has the fewest cables, at most one for each NIC, and of those that have any: where
/// cables are unlike, of as many of the fastest as carry the most when each carries as much as the slowest of them, as
/// a collective has it. Nothing where none has any.
[[nodiscard]] NodePorts nodePorts(const Cluster& cluster, const NodeGroup& group);

/// Accelerators that no cable joins to the others.
enum class GapKind {
    Nodes, ///< found: nodes of the group that have a cable, limit: its nodes
    Scattered, ///< its cables end at switches that are apart; found: the most nodes that they join, limit: its nodes
    Switches, ///< found: cables that leave the group upwards, limit: those that join its switches to one another
    Part, ///< the group is linked, but not to the first group of nodes
};
struct Gap {
    GapKind kind{};
    std::string element; ///< id of the group
    long long found = 0;
    long long limit = 0;
    int joined = 0; ///< accelerators that it leaves joined, which take the nodes in their order
    bool operator==(const Gap&) const = default;
};
/// None where nothing is drawn, or where all accelerators reach one another without the network.
[[nodiscard]] std::vector<Gap> gaps(const Cluster& cluster);
/// The same but for nodes that only lack a way up and then down to others, which take long to find (cuts()).
[[nodiscard]] std::vector<Gap> missingCables(const Cluster& cluster);
} // namespace stratoplan::cluster
