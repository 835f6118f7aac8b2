// SPDX-License-Identifier: Apache-2.0
// Two networks of a drawing made one.
#pragma once

#include "core/cluster/cluster.h"

#include <optional>
#include <string>
#include <string_view>

namespace stratoplan::cluster {

struct JoinedParts {
    Cluster cluster;
    std::string lower; ///< id of the switches of the part that got cables upwards
    std::string upper; ///< of those that the cables go to; new ones where both parts end at the same tier
    bool operator==(const JoinedParts&) const = default;
};

/// With cables, as many as the switches below hold, that lead from the group of nodes `id` to the first one. Nothing
/// where a path does already, where one of them has no switch, or where both end at core switches.
[[nodiscard]] std::optional<JoinedParts> joinedParts(const Cluster& cluster, std::string_view id);

} // namespace stratoplan::cluster
