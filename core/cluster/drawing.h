// SPDX-License-Identifier: Apache-2.0
// What the lines of a drawing say one by one: which groups a connection has at its ends, and in how many blocks the
// switches of a group serve what is below them.
#pragma once

#include "core/cluster/cluster.h"

#include <algorithm>
#include <string_view>

namespace stratoplan::cluster {

[[nodiscard]] inline const std::string& otherEnd(const Connection& connection, std::string_view id)
{
    return connection.from == id ? connection.to : connection.from;
}

/// Null where there are none of that id.
[[nodiscard]] inline const SwitchGroup* findSwitches(const Cluster& cluster, std::string_view id)
{
    const auto it = std::ranges::find(cluster.switches, id, &SwitchGroup::id);
    return it == cluster.switches.end() ? nullptr : &*it;
}

/// All cables between two groups.
[[nodiscard]] inline long long cablesBetween(const Cluster& cluster, std::string_view a, std::string_view b)
{
    long long cables = 0;
    for (const Connection& c : cluster.connections)
        cables += endsAt(c, a) && endsAt(c, b) ? std::max(0, c.cables) : 0;
    return cables;
}

/// Of a group in the fabric: nodes 0, then the tiers of the switches.
[[nodiscard]] inline int height(const Cluster& cluster, std::string_view id)
{
    const SwitchGroup* const group = findSwitches(cluster, id);
    return group == nullptr ? 0 : 1 + static_cast<int>(group->tier);
}

/// The switches at the other end of a connection of the group; null where there are none, and cables carry nothing.
[[nodiscard]] inline const SwitchGroup* switchesAt(
    const Cluster& cluster, const Connection& connection, std::string_view id)
{
    const SwitchGroup* const group =
        endsAt(connection, id) && connection.cables > 0 ? findSwitches(cluster, otherEnd(connection, id)) : nullptr;
    return group != nullptr && group->count > 0 ? group : nullptr;
}

/// Blocks of the switches, at least one; each leaf is one of its own, all others are one, unless the group says so.
[[nodiscard]] inline int blocksOf(const SwitchGroup& group)
{
    const int stated = group.blocks > 0 ? group.blocks : group.tier == SwitchTier::Leaf ? group.count : 1;
    return std::clamp(stated, 1, std::max(1, group.count));
}

} // namespace stratoplan::cluster
