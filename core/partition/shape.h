// SPDX-License-Identifier: Apache-2.0
// What is left of a layout when the bits of one level of links are not told apart: enough for bounds of what it takes
// to change it, and far fewer.
#pragma once

#include "core/partition/layout.h"

#include <cstdint>

namespace stratoplan::partition {

/// Bits of a rank's number below which ranks share a domain, and a leaf.
struct LevelBits {
    int domain = 0, leaf = 0;
    [[nodiscard]] std::size_t levelOf(int bit) const { return bit < domain ? 0 : bit < leaf ? 1 : 2; }
};

inline constexpr std::size_t kLinkLevels = 3;
using LevelCounts = std::array<std::uint8_t, kLinkLevels>;

[[nodiscard]] LevelCounts countsOf(unsigned bits, const LevelBits& levels);
/// The lowest bits of each level, as many as counted.
[[nodiscard]] unsigned bitsOf(const LevelCounts& counts, const LevelBits& levels);

struct Shape {
    std::array<LevelCounts, kAxes> digits{}; ///< by axis; those of skewed channels all in the first level
    bool descends = true; ///< of no axis a digit of a farther level comes behind one of a nearer level
    bool isSkewed = false;
    std::uint8_t unlikeFrom = 0; ///< of skewed channels the first digit that half of some domain's ranks have unlike
                                 ///< their bit of any one number; none up to their count else
    [[nodiscard]] int count(std::size_t axis) const { return fartherThan(axis, 0) + digits[axis][0]; }
    /// Digits of levels from the one behind this one on.
    [[nodiscard]] int fartherThan(std::size_t axis, std::size_t level) const
    {
        return (level < 1 ? digits[axis][1] : 0) + (level < 2 ? digits[axis][2] : 0);
    }
    /// Different ones of different shapes.
    [[nodiscard]] std::uint64_t key() const;
};
[[nodiscard]] Shape shapeOf(const Layout& layout, const LevelBits& levels);

/// No more than lack() of any two layouts of these shapes, which are not skewed and descend, to domains of so many
/// bits: those of levels up to the given one.
[[nodiscard]] Lack leastLack(const Shape& now, const Shape& next, std::size_t level, int bits);

/// Of layouts of any shapes: what each of some ranks of a domain lacks at the least, wherever it comes from, and how
/// many they are; what each rank lacks at the least that its domain does not have.
struct LeastLacked {
    double all = 0, across = 0;
    int ranks = 1;
};
[[nodiscard]] LeastLacked leastLacked(const Shape& now, const Shape& next, int domainBits);

} // namespace stratoplan::partition
