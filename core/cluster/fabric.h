// SPDX-License-Identifier: Apache-2.0
// What the cables of a drawn network carry, to the last one, and which of its groups no arrangement of them joins. The
// cables between two groups are spread evenly over both of its groups, those of one node over the switches of one leaf.
// While all stay joined, taking a cable away never makes any of these rates higher.
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
/// Of the node of the group that has the fewest cables, at most one for each NIC, and of those that have any. Nothing
/// where none has.
[[nodiscard]] NodePorts nodePorts(const Cluster& cluster, const NodeGroup& group);

/// What every node can send beyond its leaf at the same time, sustained: the most that all of them get alike. Infinite
/// where no uplinks are drawn.
[[nodiscard]] BytesPerSecond uplinksOfNode(const Cluster& cluster);

/// Blocks of nodes that reach one another below the uplinks: leaf switches, of several groups with cables to the same
/// nodes the fewest that one of them has; those whose nodes another group reaches are none.
[[nodiscard]] int leafUnits(const Cluster& cluster);
/// Uplink capacity of the leaf tier over its downlink capacity as drawn, at most 1, of the most oversubscribed leaf
/// group; 1 where no uplinks are drawn.
[[nodiscard]] double leafUplinkShare(const Cluster& cluster);

/// Accelerators that no cable joins to the others.
enum class GapKind {
    Nodes, ///< found: nodes of the group that have a cable, limit: its nodes
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
/// None where nothing is drawn, or where one scale-up domain holds all accelerators.
[[nodiscard]] std::vector<Gap> gaps(const Cluster& cluster);
/// As many ranks as no gap is in the way of.
[[nodiscard]] int joinedAccelerators(const Cluster& cluster);

} // namespace stratoplan::cluster
