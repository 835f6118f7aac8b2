// SPDX-License-Identifier: Apache-2.0
#include "core/partition/shape.h"

#include <algorithm>

namespace stratoplan::partition {
namespace {

double powerOfTwo(int exponent)
{
    return exponent < 0 ? 1.0 / double(1 << -exponent) : double(1 << exponent);
}

constexpr std::size_t kChannels = std::size_t(Axis::Channels);

/// Whether half of the ranks of some domain have this digit of their slice unlike their bit, whichever that is.
bool isUnlikeAnyBit(const Layout& layout, int digit, int domainBits)
{
    for (int bit = 0; bit < layout.bits; ++bit) {
        int most = 0;
        for (int first = 0; first < layout.ranks(); first += 1 << domainBits) {
            int unlike = 0;
            for (int rank = first; rank < first + (1 << domainBits); ++rank)
                unlike += (layout.skewed[std::size_t(rank)] >> digit & 1) != (rank >> bit & 1);
            most = std::max(most, unlike);
        }
        if (2 * most < 1 << domainBits)
            return false;
    }
    return true;
}

int unlikeFrom(const Layout& layout, int domainBits)
{
    const int count = layout.digits[kChannels].count;
    int digit = 0;
    while (digit < count && !isUnlikeAnyBit(layout, count - 1 - digit, domainBits))
        ++digit;
    return digit;
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
    unsigned bits = lowest(counts[0]);
    for (std::size_t level = 1; level < kLinkLevels; ++level)
        bits |= lowest(counts[level]) << levels.inUnit[level - 1];
    return bits;
}

Shape::Key Shape::key() const
{
    Key key{(std::uint64_t(unlikeFrom) << 1 | std::uint64_t(descends)) << 1 | std::uint64_t(isSkewed)};
    for (std::size_t axis = 0; axis < kAxes; ++axis)
        for (const std::uint8_t count : digits[axis])
            key[1 + axis] = key[1 + axis] << 4 | count;
    return key;
}

Shape shapeOf(const Layout& layout, const LevelBits& levels)
{
    Shape shape;
    shape.isSkewed = !layout.skewed.empty();
    shape.unlikeFrom =
        std::uint8_t(shape.isSkewed ? unlikeFrom(layout, levels.inUnit[0]) : layout.digits[kChannels].count);
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
    const Shape& skewed = now.isSkewed ? now : next;
    const bool half = now.isSkewed != next.isSkewed
        && std::min(now.count(kChannels), next.count(kChannels)) > skewed.unlikeFrom; // of a domain has nothing of it
    return {share - (half ? 0 : kept), std::max(0.0, share - nearby), half ? (1 << domainBits) / 2 : 1 << domainBits};
}

} // namespace stratoplan::partition
