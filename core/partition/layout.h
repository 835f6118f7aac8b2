// SPDX-License-Identifier: Apache-2.0
// Which part of an activation each rank of a group holds, and what has to move where the next operator wants it
// divided otherwise.
#pragma once

#include "core/partition/linear_moves.h"

#include <array>
#include <cstdint>

namespace stratoplan::partition {

/// Along which an activation can be cut: sequences of a micro-batch, tokens or queries, channels or heads, and the keys
/// of a score matrix.
enum class Axis { Batch, Tokens, Channels, Keys };
inline constexpr int kAxes = 4;

/// Each axis is cut into equal slices, powers of two; every rank holds one slice of each.
struct Layout {
    std::array<std::uint16_t, kAxes> slices{1, 1, 1, 1};
    std::vector<std::array<std::uint16_t, kAxes>> held; ///< by rank: the number of its slice
    bool operator==(const Layout&) const = default;
    auto operator<=>(const Layout&) const = default;
    /// Of the whole activation.
    [[nodiscard]] double share() const;
};

/// Of the input or the output of a linear operator.
[[nodiscard]] Layout layoutOf(const LinearPartition& partition, Tensor tensor, Phase phase, int step);
/// Of `ranks` ranks that all hold everything.
[[nodiscard]] Layout wholeLayout(int ranks);

/// Of an activation of one byte, what a rank lacks of the part that it has to hold next, wherever it has to come from.
struct Lack {
    double inside = 0; ///< from ranks of its own domain
    double across = 0; ///< from those of other domains: the most that all ranks of a domain lack together
    double all = 0; ///< of all ranks
};
/// The most of any rank, or of any domain. Whatever a rank of its own domain holds comes from there.
[[nodiscard]] Lack lack(const Layout& now, const Layout& next, int domain);

/// Seconds that it takes to hand an activation over when nothing else is sent. 0 where every rank has what it needs.
[[nodiscard]] Seconds handOverSeconds(const GroupPlace& place, const Layout& now, const Layout& next, Bytes whole);

} // namespace stratoplan::partition
