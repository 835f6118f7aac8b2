// SPDX-License-Identifier: Apache-2.0
#include "core/partition/shape.h"

#include <algorithm>

namespace stratoplan::partition {
namespace {

double powerOfTwo(int exponent)
{
    return exponent < 0 ? 1.0 / double(1 << -exponent) : double(1 << exponent);
}

} // namespace

LevelCounts countsOf(unsigned bits, const LevelBits& levels)
{
    LevelCounts counts{};
    for (int bit = 0; bits >> bit != 0; ++bit)
        if ((bits >> bit & 1) != 0)
            ++counts[levels.levelOf(bit)];
    return counts;
}

unsigned bitsOf(const LevelCounts& counts, const LevelBits& levels)
{
    const auto lowest = [](int count) { return (1U << count) - 1; };
    return lowest(counts[0]) | lowest(counts[1]) << levels.domain | lowest(counts[2]) << levels.leaf;
}

std::uint64_t Shape::key() const
{
    std::uint64_t key = std::uint64_t(descends) << 1 | std::uint64_t(isSkewed);
    for (const LevelCounts& counts : digits)
        for (const std::uint8_t count : counts)
            key = key << 4 | count;
    return key;
}

Shape shapeOf(const Layout& layout, const LevelBits& levels)
{
    Shape shape;
    shape.isSkewed = !layout.skewed.empty();
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
        std::size_t last = kLinkLevels;
        for (std::size_t i = 0; i < layout.digits[axis].count; ++i) {
            const std::size_t level = levels.levelOf(layout.digits[axis].bits[i]);
            ++shape.digits[axis][level];
            shape.descends &= level <= last;
            last = level;
        }
    }
    return shape;
}

Lack leastLack(const Shape& now, const Shape& next, std::size_t level, int bits)
{
    int finest = 0, common = 0, wanted = 0, halvings = 0, strangers = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
        const int has = now.count(axis), wants = next.count(axis);
        const int hasFar = now.fartherThan(axis, level), wantsFar = next.fartherThan(axis, level);
        finest += std::max(has, wants);
        common += std::max(hasFar, wants);
        wanted += wants;
        halvings += std::max(0, std::min(hasFar, wants) - wantsFar); // a far digit has to be a near one
        strangers += std::max(0, std::min(wantsFar, has) - hasFar); // a near digit has to be a far one
    }
    const double nearby = powerOfTwo(-common);
    // Near bits are tied to far ones by those of the first kind alone.
    const double kept = halvings == 0 && strangers > 0 ? 0 : powerOfTwo(-finest);
    return {nearby - kept, (powerOfTwo(-wanted) - nearby * powerOfTwo(-halvings)) * powerOfTwo(bits)};
}

LeastLacked leastLacked(const Shape& now, const Shape& next, int domainBits)
{
    int finest = 0, common = 0, wanted = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
        const int has = now.count(axis), wants = next.count(axis);
        finest += std::max(has, wants);
        common += std::max(now.fartherThan(axis, 0), wants);
        wanted += wants;
    }
    const double share = powerOfTwo(-wanted), kept = powerOfTwo(-finest);
    const double nearby = now.isSkewed ? kept * powerOfTwo(domainBits) : powerOfTwo(-common);
    return {share - kept, std::max(0.0, share - nearby)};
}

} // namespace stratoplan::partition
