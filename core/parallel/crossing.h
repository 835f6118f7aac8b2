// SPDX-License-Identifier: Apache-2.0
// Which groups of a strategy send over the cables of a drawn connection: those with ranks beyond what is below it.
#pragma once

#include "core/parallel/placement.h"

#include <cstddef>
#include <vector>

namespace stratoplan::parallel {

/// Groups of nodes, by place, that what is below the cables at that place among the connections serves; those that take
/// part.
[[nodiscard]] std::vector<std::size_t> nodesBelow(const cluster::Cluster& cluster, std::size_t connection);

/// Accelerators that reach one another without the cables at that place among the connections: of a node, of what a
/// block of leaves serves, of a pod; where several groups of nodes are below, of all of them. 0 where nothing is.
[[nodiscard]] int acceleratorsBelow(const cluster::Cluster& cluster, std::size_t connection);

/// Such units begin at multiples of so many accelerators (cluster::alignmentOf); 0: of their own.
[[nodiscard]] int alignmentBelow(const cluster::Cluster& cluster, std::size_t connection);

/// Of TP, CP, EP, PP and the replicas (DataContext) those with ranks on both sides of the ends of a unit of so many
/// accelerators, as ranks take these in their order; none where it has none.
[[nodiscard]] std::vector<RankGroup> groupsAcross(const Strategy& strategy, int unit, int alignment = 0);
/// The same of what is below a connection; none where it has no cable, or where no rank lies below it, or all do.
[[nodiscard]] std::vector<RankGroup> groupsAcross(
    const Strategy& strategy, const cluster::Cluster& cluster, std::size_t connection);

} // namespace stratoplan::parallel
