// SPDX-License-Identifier: Apache-2.0
// How long the cables of a drawn network are in use during a step: of the groups of ranks that cross them, what their
// communication takes, behind computation or not.
#pragma once

#include "core/estimate/estimate.h"
#include "core/parallel/crossing.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stratoplan::estimate {

/// Communication of one kind of group in a step of one stage.
struct GroupSeconds {
    parallel::RankGroup group{}; ///< as groupsAcross() tells them
    Seconds seconds{};
    bool worksBelow = false; ///< ranks of a group share what is below the cables: some of the time they need none
    bool operator==(const GroupSeconds&) const = default;
};

/// Of all stages with ranks below the cables the one whose groups use them the longest.
struct LinkLoad {
    int stage = 0;
    std::vector<GroupSeconds> groups; ///< that cross and communicate, in the order of groupsAcross()
    Seconds busy{}; ///< of all groups one after the other, at most the step
    double share = 0; ///< of the step, 0-1
    /// Whether `busy` is an upper bound: it includes work below, or groups that overlap were cut to the step.
    bool isBound = false;
    bool operator==(const LinkLoad&) const = default;
};

/// Of one connection, by place; nothing crosses cables with no ranks below. `estimate` is that of the plan.
[[nodiscard]] LinkLoad linkLoad(const Estimate& estimate, const plan::Plan& plan, std::size_t connection);
/// Of all of them.
[[nodiscard]] std::vector<LinkLoad> linkLoads(const Estimate& estimate, const plan::Plan& plan);
/// The one that is in use the longest, of several that are so as long the one with the least bandwidth; none where
/// nothing crosses any.
[[nodiscard]] std::optional<std::size_t> busiestLink(
    const std::vector<LinkLoad>& loads, const cluster::Cluster& cluster);

} // namespace stratoplan::estimate
