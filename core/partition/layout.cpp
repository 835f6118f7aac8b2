// SPDX-License-Identifier: Apache-2.0
#include "core/partition/layout.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace stratoplan::partition {
namespace {

/// Of small exponents; std::ldexp() takes longer than what needs it here.
double powerOfTwo(int exponent)
{
    return std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52);
}

/// Of the whole activation, what two parts have in common: cuts are powers of two, so that a slice lies in another one
/// or beside it.
double common(const Slices& a, const Layout& cutsA, const Slices& b, const Layout& cutsB)
{
    int cuts = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
        const int countA = cutsA.digits[axis].count, countB = cutsB.digits[axis].count;
        const int shared = std::min(countA, countB);
        if (a[axis] >> (countA - shared) != b[axis] >> (countB - shared))
            return 0;
        cuts += std::max(countA, countB);
    }
    return powerOfTwo(-cuts);
}

/// Bits of a rank's number that conditions make equal to each other.
class EqualBits {
public:
    void join(int a, int b)
    {
        const std::uint8_t first = m_class[std::size_t(a)], second = m_class[std::size_t(b)];
        for (std::uint8_t& name : m_class)
            if (name == second)
                name = first;
    }
    [[nodiscard]] bool equal(int a, int b) const { return m_class[std::size_t(a)] == m_class[std::size_t(b)]; }

private:
    std::array<std::uint8_t, kMostBits> m_class{0, 1, 2, 3, 4, 5, 6, 7};
};

/// What two layouts ask of a rank's bits so that its part of the one has something in common with its part of the
/// other: each digit that both have has to be the same. A digit of the layout now is a bit of the rank itself where the
/// rank looks at its own part, and a free one where it looks at those of its domain and the bit tells its ranks apart.
struct Agreement {
    Agreement(const Layout& now, const Layout& next, int nearBits)
    {
        for (std::size_t axis = 0; axis < kAxes; ++axis) {
            const Digits &has = now.digits[axis], &wants = next.digits[axis];
            finest += std::max(has.count, wants.count);
            for (std::size_t i = 0; i < has.count; ++i) {
                const bool near = has.bits[i] < nearBits;
                if (i >= wants.count)
                    farther += int(near);
                else if (has.bits[i] != wants.bits[i])
                    (near ? nearPairs[nears++] : farPairs[fars++]) = {has.bits[i], wants.bits[i]};
            }
        }
    }
    struct Pair {
        std::uint8_t now, next;
    };
    std::array<Pair, kMostBits> nearPairs, farPairs; // as many as counted
    std::size_t nears = 0, fars = 0;
    int finest = 0; ///< digits of what a part of the one and a part of the other have in common
    int farther = 0; ///< digits that tell apart the parts of a domain's ranks which lie in one part wanted
};

Lack lackOfDigits(const Layout& now, const Layout& next, int nearBits)
{
    const Agreement agreement(now, next, nearBits);
    const double kept = powerOfTwo(-agreement.finest);
    const double nearby = kept * powerOfTwo(agreement.farther);
    const double share = next.share();
    EqualBits equal;
    int halvings = 0; // conditions that half of a domain's ranks meet
    bool asks = false; // some domain meets a condition with no rank
    for (std::size_t i = 0; i < agreement.fars; ++i) {
        const auto [a, b] = agreement.farPairs[i];
        equal.join(a, b);
        (b < nearBits ? halvings += 1 : asks = true);
    }
    bool lacks = false; // a rank that meets the conditions of its domain, and not its own
    for (std::size_t i = 0; i < agreement.nears; ++i)
        lacks |= !equal.equal(agreement.nearPairs[i].now, agreement.nearPairs[i].next);
    return {
        nearby - (lacks ? 0 : kept), (asks ? share : share - nearby * powerOfTwo(-halvings)) * powerOfTwo(nearBits)};
}

/// The digits that a dimension's slices have where no primitive skews them.
Digits digitsOf(const Sequence& sequence, Dimension dimension)
{
    Digits digits;
    int left = bits(sequence);
    for (const Part& part : sequence) {
        left -= part.order > 0 ? 2 * part.order : 1;
        if (part.order == 0 && part.dimension == dimension)
            digits.append(left);
        if (dimension != Dimension::B)
            for (int pair = part.order - 1; pair >= 0; --pair)
                digits.append(left + 2 * pair + int(dimension == Dimension::M)); // rows have the first of each pair
    }
    return digits;
}

std::vector<std::uint16_t> slicesOf(const LinearPartition& partition, Dimension dimension, Phase phase, int step)
{
    std::vector<std::uint16_t> slices;
    for (int rank = 0; rank < partition.ranks(); ++rank)
        slices.push_back(std::uint16_t(partition.slice(dimension, rank, phase, step)));
    return slices;
}

} // namespace

int Digits::slice(int rank) const
{
    int number = 0;
    for (std::size_t i = 0; i < count; ++i)
        number = 2 * number + (rank >> bits[i] & 1);
    return number;
}

int Layout::slice(Axis axis, int rank) const
{
    return axis == Axis::Channels && !skewed.empty() ? skewed[std::size_t(rank)]
                                                     : digits[std::size_t(axis)].slice(rank);
}

int Layout::cuts() const
{
    int cuts = 0;
    for (const Digits& axis : digits)
        cuts += axis.count;
    return cuts;
}

double Layout::share() const
{
    return powerOfTwo(-cuts());
}

Layout layoutOf(const LinearPartition& partition, Tensor tensor, Phase phase, int step)
{
    Layout layout{partition.bits()};
    const std::array dimensions{
        Dimension::B, Dimension::M, tensor == Tensor::Input ? Dimension::N : Dimension::K}; // by Axis
    for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
        const Dimension dimension = dimensions[axis];
        layout.digits[axis] = digitsOf(partition.sequence(), dimension);
        const bool maySkew = partition.steps() > 1;
        for (int rank = 0; maySkew && rank < layout.ranks() && layout.skewed.empty(); ++rank)
            if (layout.digits[axis].slice(rank) != partition.slice(dimension, rank, phase, step))
                layout.skewed = slicesOf(partition, dimension, phase, step);
        assert(layout.skewed.empty() || dimension == dimensions.back());
    }
    if (!layout.skewed.empty())
        layout.digits[std::size_t(Axis::Channels)].bits = {};
    return layout;
}

Lack lack(const Layout& now, const Layout& next, int domain)
{
    assert(now.bits == next.bits && domain > 0);
    if (now.skewed.empty() && next.skewed.empty() && std::has_single_bit(unsigned(domain)))
        return lackOfDigits(now, next, std::min(now.bits, std::countr_zero(unsigned(domain))));
    return lackByRank(now, next, domain);
}

std::vector<Slices> slicesOf(const Layout& layout)
{
    std::vector<Slices> slices(std::size_t(layout.ranks()));
    for (int rank = 0; rank < layout.ranks(); ++rank)
        for (int axis = 0; axis < kAxes; ++axis)
            slices[std::size_t(rank)][std::size_t(axis)] = std::uint16_t(layout.slice(Axis(axis), rank));
    return slices;
}

Lack lackByRank(const Layout& now, const Layout& next, int domain)
{
    return lackByRank(now, slicesOf(now), next, slicesOf(next), domain);
}

Lack lackByRank(const Layout& now, const std::vector<Slices>& holds, const Layout& next,
    const std::vector<Slices>& wants, int domain)
{
    Lack most;
    const double share = next.share();
    std::vector<Slices> near;
    for (int first = 0; first < next.ranks(); first += domain) {
        const int end = std::min(next.ranks(), first + domain);
        near.assign(holds.begin() + first, holds.begin() + end);
        std::sort(near.begin(), near.end());
        near.erase(std::unique(near.begin(), near.end()), near.end());
        double across = 0;
        for (int rank = first; rank < end; ++rank) {
            const Slices& wanted = wants[std::size_t(rank)];
            double nearby = 0; // parts of one layout are the same or have nothing in common
            for (const Slices& part : near)
                nearby += common(part, now, wanted, next);
            const double kept = common(holds[std::size_t(rank)], now, wanted, next);
            most.inside = std::max(most.inside, nearby - kept);
            across += share - nearby;
        }
        most.across = std::max(most.across, across);
    }
    return most;
}

} // namespace stratoplan::partition
