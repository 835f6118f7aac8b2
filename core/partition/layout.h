// SPDX-License-Identifier: Apache-2.0
// Which part of an activation each rank of a group holds, and what has to move where the next operator wants it
// divided otherwise.
#pragma once

#include "core/partition/linear_partition.h"

#include <array>
#include <cstdint>

namespace stratoplan::partition {

/// Along which an activation can be cut: sequences of a micro-batch, tokens or queries, channels or heads, and the keys
/// of a score matrix.
enum class Axis { Batch, Tokens, Channels, Keys };
inline constexpr int kAxes = 4;

/// Bits of a rank's number, the lowest being 0, that make up the number of its slice: the first is the highest.
struct Digits {
    std::array<std::uint8_t, kMostBits> bits{};
    std::uint8_t count = 0;
    void append(int bit) { bits[count++] = std::uint8_t(bit); }
    [[nodiscard]] int slice(int rank) const;
    bool operator==(const Digits&) const = default;
};

/// Each axis is cut into equal slices, 2 to the power of its digits; every rank holds one slice of each. A bit is a
/// digit of one axis at most: ranks that differ in none of the digits hold the same part; without digits all of it.
struct Layout {
    int bits = 0; ///< of a rank's number
    std::array<Digits, kAxes> digits{};
    /// By rank the slice of the channels where a primitive has skewed them; the digits then tell their count alone.
    std::vector<std::uint16_t> skewed{};
    [[nodiscard]] int ranks() const { return 1 << bits; }
    [[nodiscard]] int slice(Axis axis, int rank) const;
    [[nodiscard]] int cuts() const; ///< digits of all axes
    /// Of the whole activation.
    [[nodiscard]] double share() const;
    bool operator==(const Layout&) const = default;
};

/// Of the input or the output of a linear operator where a phase begins or ends; its rows are not skewed there.
[[nodiscard]] Layout layoutOf(const LinearPartition& partition, Tensor tensor, Phase phase, int step);

/// Of an activation of one byte, what a rank lacks of the part that it has to hold next, wherever it has to come from.
struct Lack {
    double inside = 0; ///< from ranks of its own domain
    double across = 0; ///< from those of other domains: the most that all ranks of a domain lack together
};
/// The most of any rank, or of any domain of `domain` neighbours, in layouts of as many ranks. Whatever a rank of its
/// own domain holds comes from there.
[[nodiscard]] Lack lack(const Layout& now, const Layout& next, int domain);
/// The digits of a layout that no primitive has skewed, four bits each, eight places to an axis and two axes to a word:
/// a bit's number and one more, nothing where an axis has no such digit.
struct PackedDigits {
    std::array<std::uint64_t, 2> words{};
};
[[nodiscard]] PackedDigits packed(const Layout& layout);
/// The same, in domains of 2^nearBits ranks; `share` of what is next.
[[nodiscard]] Lack lack(const PackedDigits& now, const PackedDigits& next, double share, int nearBits);
/// Bits whose ranks gather their parts, where that is all that changes: the digits of a layout now beyond those that
/// come next, of which it has all. Else none.
[[nodiscard]] unsigned gatheredBits(const PackedDigits& now, const PackedDigits& next);

/// The number of a rank's slice along each axis.
using Slices = std::array<std::uint16_t, kAxes>;
[[nodiscard]] std::vector<Slices> slicesOf(const Layout& layout); // by rank
/// The same rank by rank, whatever the layouts: what the closed form of layouts that no primitive has skewed equals.
[[nodiscard]] Lack lackByRank(const Layout& now, const Layout& next, int domain);
[[nodiscard]] Lack lackByRank(const Layout& now, const std::vector<Slices>& holds, const Layout& next,
    const std::vector<Slices>& wants, int domain);

} // namespace stratoplan::partition
