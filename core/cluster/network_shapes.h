// SPDX-License-Identifier: Apache-2.0
// A network drawn for nodes as reference architectures have it: as many switches of a radix as it takes, one to one.
#pragma once

#include "core/cluster/cluster.h"

#include <optional>

namespace stratoplan::cluster {

enum class NetworkShape {
    FatTree, ///< all NICs of a node go to one leaf
    RailOptimised, ///< the first NICs of the nodes of a block go to one leaf, the second ones to another, and so on
};

/// Ports of each switch; more where a node has more NICs than half of them.
inline constexpr int kRadix = 64;

/// The cluster with its nodes below leaves, spines and, where those have too few ports for all leaves, pods and core
/// switches, in place of all switches and cables that are drawn. Groups share leaves where one switch, or one block of
/// rails, has room for them; else each has its own. Nothing without nodes, with nodes without NICs, where unlike
/// groups would need a core, or where switches of that radix have too few ports: beyond 64 pods, 65,536 NICs.
[[nodiscard]] std::optional<Cluster> wired(const Cluster& cluster, NetworkShape shape);

} // namespace stratoplan::cluster
