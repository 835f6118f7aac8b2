// SPDX-License-Identifier: Apache-2.0
#include "core/space/rank_orders.h"

#include <algorithm>
#include <set>

namespace stratoplan::space {
namespace {

using GroupsSeen = std::vector<cluster::Span>;

/// The groups that a price depends on. Replicas that see different sequences never communicate by themselves.
void addSeen(const parallel::GroupSpans& groups, bool shards, GroupsSeen& seen)
{
    for (std::size_t i = 0; i < parallel::kRankGroups; ++i) {
        const auto group = parallel::RankGroup(i);
        const bool ofShards = group == parallel::RankGroup::Shards || group == parallel::RankGroup::ShardCopies
            || group == parallel::RankGroup::ExpertShards || group == parallel::RankGroup::ExpertShardCopies;
        if (group != parallel::RankGroup::Data && (shards || !ofShards))
            seen.push_back(groups[group]);
    }
}

} // namespace

std::vector<parallel::RankOrder> allRankOrders()
{
    parallel::RankOrder order = parallel::Strategy{}.rankOrder;
    std::sort(order.begin(), order.end());
    std::vector<parallel::RankOrder> orders{parallel::Strategy{}.rankOrder};
    do {
        if (order != orders.front())
            orders.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return orders;
}

std::vector<parallel::RankOrder> differentOrders(const std::vector<parallel::RankOrder>& orders, unsigned axes)
{
    std::vector<parallel::RankOrder> different;
    std::set<std::vector<int>> seen;
    for (const parallel::RankOrder& order : orders)
        if (seen.insert(orderSeen(order, axes)).second)
            different.push_back(order);
    return different;
}

std::vector<PlacementPick> placementClasses(parallel::Strategy s, std::span<const parallel::RankOrder> orders,
    const std::vector<int>& shardGroups, const cluster::Topology& topology, bool merge)
{
    std::vector<PlacementPick> picks;
    std::vector<GroupsSeen> known;
    for (const parallel::RankOrder& order : orders) {
        s.rankOrder = order;
        PlacementPick pick{{order}, {}};
        GroupsSeen seen;
        s.zeroShards = 0;
        const parallel::GroupSpans placed(s, topology);
        for (const int shards : shardGroups) {
            s.zeroShards = shards;
            pick.groups.push_back(shards > 0 ? placed.withShards(s, topology) : placed);
            addSeen(pick.groups.back(), shards > 0, seen);
        }
        const auto same = merge ? std::find(known.begin(), known.end(), seen) : known.end();
        if (same != known.end()) {
            picks[std::size_t(same - known.begin())].orders.push_back(order);
            continue;
        }
        known.push_back(std::move(seen));
        picks.push_back(std::move(pick));
    }
    return picks;
}

} // namespace stratoplan::space
