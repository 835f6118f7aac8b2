// SPDX-License-Identifier: Apache-2.0
// What of a cluster a strategy uses: its ranks take the nodes of the groups in their order, and those behind stay idle.
#pragma once

#include "core/cluster/cluster.h"

#include <compare>
#include <cstddef>
#include <vector>

namespace stratoplan::cluster {

/// The first so many groups of nodes are those that ranks lie on.
[[nodiscard]] std::size_t usedGroups(const Cluster& cluster, int ranks);

/// Whether all nodes of each group hang on switches that are in one block (blocksApart), so that it is all one which of
/// them stay idle.
[[nodiscard]] std::vector<bool> hangTogether(const Cluster& cluster);

/// Nodes that ranks lie on.
struct UsedNodes {
    std::size_t groups = 0; ///< the first so many
    int ofLast = 0; ///< so many of the last of these; all of them, if it is not all one which
    auto operator<=>(const UsedNodes&) const = default;
};
[[nodiscard]] UsedNodes usedNodes(const Cluster& cluster, const std::vector<bool>& together, int ranks);

/// Accelerators that so many ranks lie on, by group of nodes.
[[nodiscard]] std::vector<int> usedAccelerators(const Cluster& cluster, int ranks);

/// The cluster without the nodes behind the first so many groups, the switches that lead down to no others, and the
/// cables of either. Nodes keep their places.
[[nodiscard]] Cluster usedPart(Cluster cluster, std::size_t groups);
/// The same without the other nodes of the last group. Of cables that are dealt out evenly, the fastest first, those
/// that are used have the more.
[[nodiscard]] Cluster usedPart(Cluster cluster, const UsedNodes& used);

/// As many ranks as cables join the nodes of: those of idle groups are not in the way.
[[nodiscard]] int joinedAccelerators(const Cluster& cluster);

} // namespace stratoplan::cluster
