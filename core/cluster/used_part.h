// SPDX-License-Identifier: Apache-2.0
// What of a cluster a strategy uses: its ranks take the nodes of the groups in their order, and those behind stay idle.
#pragma once

#include "core/cluster/cluster.h"

#include <cstddef>
#include <vector>

namespace stratoplan::cluster {

/// The first so many groups of nodes are those that ranks lie on; of a group that they end in all nodes count, as which
/// of its nodes hang where is not drawn.
[[nodiscard]] std::size_t usedGroups(const Cluster& cluster, int ranks);

/// Accelerators that so many ranks lie on, by group of nodes.
[[nodiscard]] std::vector<int> usedAccelerators(const Cluster& cluster, int ranks);

/// The cluster without the nodes behind the first so many groups, the switches that lead down to no others, and the
/// cables of either. Nodes keep their places.
[[nodiscard]] Cluster usedPart(Cluster cluster, std::size_t groups);

/// As many ranks as cables join the nodes of: those of idle groups are not in the way.
[[nodiscard]] int joinedAccelerators(const Cluster& cluster);

} // namespace stratoplan::cluster
