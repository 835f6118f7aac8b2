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
    std::string far; ///< id of the highest switches of the part that was apart
    std::string near; ///< of that of the first nodes
    bool isByNew = false; ///< by new switches above both, where these are of one tier; else by cables between them
    bool operator==(const JoinedParts&) const = default;
};

/// With cables, as many as the switches below hold, that lead from the group of nodes `id` to the first one. Nothing
/// where a path does already, where one of them has no switch, or where both end at core switches.
[[nodiscard]] std::optional<JoinedParts> joinedParts(const Cluster& cluster, std::string_view id);

} // namespace stratoplan::cluster
