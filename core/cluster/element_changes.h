// SPDX-License-Identifier: Apache-2.0
// What can become of one element of a cluster: a part of it fails, or is twice as fast. Each as the cluster that it
// leaves, drawn as before.
#pragma once

#include "core/cluster/cluster.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace stratoplan::cluster {

enum class ElementChange {
    NodeFails,
    NicFails, ///< of one node
    SwitchFails, ///< with the nodes that it alone serves; of blocks one in each, as all wait for the one that lacks it
    CableBreaks,
    TwiceScaleUp, ///< bandwidth of the links between the accelerators of a domain
    TwiceNetwork, ///< of a connection, the NICs at its end included; without a drawing of all NICs of the group
};

struct ChangedCluster {
    ElementChange change{};
    Cluster cluster;
    bool operator==(const ChangedCluster&) const = default;
};

/// Of a group of nodes or of switches; none of others. What leaves nothing of the group is left out.
[[nodiscard]] std::vector<ChangedCluster> changesOfElement(const Cluster& cluster, std::string_view id);
/// Of the cables at that place among the connections.
[[nodiscard]] std::vector<ChangedCluster> changesOfConnection(const Cluster& cluster, std::size_t connection);

/// Elements that are alike, all of them twice as fast.
struct FasterLinks {
    std::vector<std::size_t> places; ///< of the groups of nodes (TwiceScaleUp, TwiceNetwork without a drawing), else of
                                     ///< the connections; the first first
    bool areNodes = true;
    ChangedCluster changed;
    bool operator==(const FasterLinks&) const = default;
};
/// Of the links inside like nodes, then of the cables of one kind from like nodes to switches of one tier, or between
/// those of two tiers: of some of them alone the others would still be waited for.
[[nodiscard]] std::vector<FasterLinks> fasterLinks(const Cluster& cluster);

} // namespace stratoplan::cluster
