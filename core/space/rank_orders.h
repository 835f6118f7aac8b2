// SPDX-License-Identifier: Apache-2.0
// Rank orders in classes: of those that put every group in the same place, as far as a price can tell, one stands for
// all.
#pragma once

#include "core/parallel/placement.h"
#include "core/parallel/rank_order.h"

#include <span>
#include <vector>

namespace stratoplan::space {

/// One place for all groups: rank orders that no price tells apart.
struct PlacementPick {
    std::vector<parallel::RankOrder> orders; ///< the first stands for all
    std::vector<parallel::GroupSpans> groups; ///< of the first, by shard group
};

/// All 120, the usual one first, the others in the order of their axes.
[[nodiscard]] std::vector<parallel::RankOrder> allRankOrders();

/// Those that order the axes in use differently, the first of each kind: axes of one rank, and EP but for its side of
/// the replicas, have no place of their own.
[[nodiscard]] std::vector<parallel::RankOrder> differentOrders(
    const std::vector<parallel::RankOrder>& orders, unsigned axes);

/// Where orders put the groups of a strategy, with each of the shard groups. `merge` false: each order by itself.
[[nodiscard]] std::vector<PlacementPick> placementClasses(parallel::Strategy strategy,
    std::span<const parallel::RankOrder> orders, const std::vector<int>& shardGroups, const cluster::Topology& topology,
    bool merge);

} // namespace stratoplan::space
