// SPDX-License-Identifier: Apache-2.0
// What neighbours that send each other parts of a tensor ask of the links between them, and the time it takes.
#pragma once

#include "core/cluster/collectives.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace stratoplan::partition {

/// Ranks of a group as the topology sees them: those of neighbouring numbers share a domain.
struct GroupPlace {
    const cluster::Topology& topology;
    cluster::Span span; ///< of the whole group
};

/// Levels whose units a tensor can leave: domains, nodes, leaves, pods.
inline constexpr std::size_t kUnits = 1 + cluster::kOuterUnits;

/// In parts of a tensor, whatever its size. What several tensors ask for at once adds up link by link.
struct LinkShares {
    double inside = 0; ///< the most that a rank gets from, or sends, inside its domain
    std::array<double, kUnits> leaving{}; ///< the most that leaves or enters a unit of level 0, 1, …
    int senders = 0; ///< ranks of a domain that send across its boundary at once
    bool operator==(const LinkShares&) const = default;
};

struct LinkLoad {
    Bytes inside{};
    std::array<Bytes, kUnits> leaving{};
    int senders = 0;
    void add(const LinkShares& shares, Bytes whole);
};

/// Of what leaves units of each level, the part that goes over the links between those of one: of a level that is
/// bypassed, what stays in the unit above.
template <class Amount>
[[nodiscard]] Amount crossing(
    const cluster::Topology& topology, const std::array<Amount, kUnits>& leaving, std::size_t unit)
{
    const std::size_t level = unit + 1;
    const bool goesOn = level < topology.levels.size() && topology.levels[level].isBypassed && level < kUnits;
    return goesOn ? std::max(Amount{}, leaving[unit] - leaving[level]) : leaving[unit];
}

/// Until the slowest link is done. Like groups of the same domains and leaves send as much at the same time.
[[nodiscard]] Seconds seconds(const GroupPlace& place, const LinkLoad& load);

/// Where the ranks of a group lie that differ in these bits alone; like groups share their domains' ports.
[[nodiscard]] cluster::Span spanOfBits(const cluster::Span& group, unsigned bits);

} // namespace stratoplan::partition
