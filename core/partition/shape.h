// SPDX-License-Identifier: Apache-2.0
// What is left of a layout when the bits of one level of links are not told apart: enough for bounds of what it takes
// to change it, and far fewer.
#pragma once

#include "core/partition/layout.h"
#include "core/partition/link_load.h"

#include <cstdint>

namespace stratoplan::partition {

/// Bits of a rank's number below which ranks share a unit of each level, from the domain on.
struct LevelBits {
    std::array<int, kUnits> inUnit{};
    [[nodiscard]] std::size_t levelOf(int bit) const
    {
        std::size_t level = 0;
        while (level < kUnits && bit >= inUnit[level])
            ++level;
        return level;
    }
};

inline constexpr std::size_t kLinkLevels = kUnits + 1;
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
        int count = 0;
        while (++level < kLinkLevels)
            count += digits[axis][level];
        return count;
    }
    /// Different ones of different shapes.
    using Key = std::array<std::uint64_t, 1 + kAxes>;
    [[nodiscard]] Key key() const;
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
