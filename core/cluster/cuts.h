// SPDX-License-Identifier: Apache-2.0
// Where the uplinks of a drawing hold up what crosses them: around the accelerators that a group of switches reaches
// without those above it, those under a leaf or a block of rails, those of a pod.
#pragma once

#include "core/cluster/cluster.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace stratoplan::cluster {

/// Around every run of so many accelerators.
struct Cut {
    double accelerators = 0; ///< 0: around each node
    std::optional<SwitchTier> tier; ///< the lowest whose switches reach so many; none around nodes
    int alignment = 1; ///< such runs begin at multiples of so many accelerators (alignmentOf)
    /// The most that all accelerators in question can send out of their run at the same time, sustained, those of the
    /// worst run: the least over all sets of groups of nodes of what leaves the set by its accelerators (minimum cut),
    /// on ways that lead up and then down. Infinite where nothing leaves. Each other accelerator sends at the same time
    /// as much, or what its NICs carry, whatever cables it has that lead to none of theirs.
    BytesPerSecond ofAccelerator{};
    std::vector<std::size_t> heldBack; ///< groups of nodes, of those that take part, of which nothing leads some nodes
                                       ///< out of their run; `ofAccelerator` is that of the others
    std::vector<std::size_t> narrowest; ///< groups of nodes, of those that take part, whose uplinks together are what
                                        ///< carries so little; none where it is what each has by itself
};
/// Of a drawing, by size. While all stay joined, a cable more never makes a cut carry less, nor adds one that holds up
/// what was not held up before.
[[nodiscard]] std::vector<Cut> cuts(const Cluster& cluster);
/// In question are the accelerators of these groups of nodes alone, by place.
[[nodiscard]] std::vector<Cut> cuts(const Cluster& cluster, const std::vector<std::size_t>& groups);

/// Accelerators that divide the begin of every run of so many, where switches reach these groups of nodes, by place,
/// and ranks take the nodes in their order: all of the run, unless groups of other switches lie before or between, of
/// another size; 1 where the run is no whole number.
[[nodiscard]] int alignmentOf(const Cluster& cluster, const std::vector<std::size_t>& groups, double run);

/// What accelerators can send out of the units of a tier over what their NICs and cables carry, of the nodes where that
/// is least, at most 1; of leaves, or with spines of pods. 1 where the tier has no units to leave, 0 where nothing
/// leaves them.
[[nodiscard]] double uplinkShare(const Cluster& cluster, SwitchTier tier);
/// The groups of those nodes, by place; none where the share is 0 or 1, or where it is that of all.
[[nodiscard]] std::vector<std::size_t> leastUplinked(const Cluster& cluster, SwitchTier tier);

} // namespace stratoplan::cluster
