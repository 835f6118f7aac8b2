// SPDX-License-Identifier: Apache-2.0
#include "core/space/rank_orders.h"

#include <algorithm>
#include <set>

namespace stratoplan {
namespace {

using GroupsSeen = std::vector<Span>;

/// The groups that a price depends on. Replicas that see different sequences never communicate by themselves.
void addSeen(const GroupSpans& groups, bool shards, GroupsSeen& seen)
{
    for (std::size_t i = 0; i < kRankGroups; ++i) {
        const auto group = RankGroup(i);
        const bool ofShards = group == RankGroup::Shards || group == RankGroup::ShardCopies
            || group == RankGroup::ExpertShards || group == RankGroup::ExpertShardCopies;
        if (group != RankGroup::Data && (shards || !ofShards))
            seen.push_back(groups[group]);
    }
}

} // namespace

std::vector<RankOrder> allRankOrders()
{
    RankOrder order = Strategy{}.rankOrder;
    std::sort(order.begin(), order.end());
    std::vector<RankOrder> orders{Strategy{}.rankOrder};
    do {
        if (order != orders.front())
            orders.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return orders;
}

std::vector<RankOrder> differentOrders(const std::vector<RankOrder>& orders, unsigned axes)
{
    std::vector<RankOrder> different;
    std::set<std::vector<int>> seen;
    for (const RankOrder& order : orders)
        if (seen.insert(orderSeen(order, axes)).second)
            different.push_back(order);
    return different;
}

std::vector<PlacementPick> placementClasses(Strategy s, std::span<const RankOrder> orders,
    const std::vector<int>& shardGroups, const Topology& topology, bool merge)
{
    std::vector<PlacementPick> picks;
    std::vector<GroupsSeen> known;
    for (const RankOrder& order : orders) {
        s.rankOrder = order;
        PlacementPick pick{{order}, {}};
        GroupsSeen seen;
        s.zeroShards = 0;
        const GroupSpans placed(s, topology);
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

} // namespace stratoplan
