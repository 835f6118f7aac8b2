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

/// Slices as one number, of `counts` digits each, without those that tell apart what is the same to `others`: cuts are
/// powers of two, so that a slice lies in another one or beside it.
std::uint64_t coarsened(const Slices& slices, const Layout& counts, const Layout& others)
{
    std::uint64_t number = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
        const int finer = counts.digits[axis].count - others.digits[axis].count;
        number = number << 16 | std::uint64_t(slices[axis] >> std::max(0, finer));
    }
    return number;
}

/// Of the whole activation, what two parts have in common that are not apart.
double common(const Layout& a, const Layout& b)
{
    int cuts = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis)
        cuts += std::max(a.digits[axis].count, b.digits[axis].count);
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

constexpr std::uint64_t kEachDigit = 0x1111111111111111ULL; // a bit of each digit

/// Of which digits there is one, by their lowest bits.
std::uint64_t present(std::uint64_t digits)
{
    const std::uint64_t pairs = digits | digits >> 2;
    return (pairs | pairs >> 1) & kEachDigit;
}

/// Digits that are bits from `nearBits` on.
std::uint64_t farDigits(std::uint64_t digits, int nearBits)
{
    return nearBits > 7 ? 0 : (digits + std::uint64_t(7 - nearBits) * kEachDigit) >> 3 & kEachDigit;
}

int count(std::uint64_t digits, std::uint64_t others)
{
    const std::uint64_t sums = digits + others;
    return int(((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56);
}

/// What two layouts ask of a rank's bits so that its part of the one has something in common with its part of the
/// other: each digit that both have has to be the same. A digit of the layout now is a bit of the rank itself where the
/// rank looks at its own part, and a free one where it looks at those of its domain and the bit tells its ranks apart.
struct Agreement {
    Agreement(std::uint64_t has, std::uint64_t wants, int nearBits)
        : hasDigits(present(has))
        , wantsDigits(present(wants))
        , hasFar(farDigits(has, nearBits))
        , wantsFar(farDigits(wants, nearBits))
        , unlike(present(has ^ wants) & hasDigits & wantsDigits)
    {
    }
    std::uint64_t hasDigits, wantsDigits, hasFar, wantsFar;
    std::uint64_t unlike; ///< both have them, of different bits
    [[nodiscard]] std::uint64_t both() const { return hasDigits | wantsDigits; }
    /// That tell apart the parts of a domain's ranks which lie in one part wanted.
    [[nodiscard]] std::uint64_t farther() const { return hasDigits & ~hasFar & ~wantsDigits; }
    [[nodiscard]] std::uint64_t unlikeFar() const { return unlike & hasFar; }
    [[nodiscard]] std::uint64_t unlikeNear() const { return unlike & ~hasFar; }
};

/// Calls with the bits of both digits.
template <class Take>
void eachUnlike(std::uint64_t unlike, std::uint64_t has, std::uint64_t wants, Take take)
{
    for (; unlike != 0; unlike &= unlike - 1) {
        const int shift = std::countr_zero(unlike);
        take(int(has >> shift & 15) - 1, int(wants >> shift & 15) - 1);
    }
}

/// Whether a rank meets the conditions of its domain, and not its own.
bool meetsDomainsAlone(const PackedDigits& now, const PackedDigits& next, const std::array<Agreement, 2>& agreements)
{
    if ((agreements[0].unlikeNear() | agreements[1].unlikeNear()) == 0)
        return false;
    if ((agreements[0].unlikeFar() | agreements[1].unlikeFar()) == 0)
        return true;
    EqualBits equal;
    for (std::size_t i = 0; i < agreements.size(); ++i)
        eachUnlike(agreements[i].unlikeFar(), now.words[i], next.words[i], [&](int a, int b) { equal.join(a, b); });
    bool meets = false;
    for (std::size_t i = 0; i < agreements.size(); ++i)
        eachUnlike(agreements[i].unlikeNear(), now.words[i], next.words[i],
            [&](int a, int b) { meets |= !equal.equal(a, b); });
    return meets;
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

PackedDigits packed(const Layout& layout)
{
    PackedDigits packed;
    for (std::size_t axis = 0; axis < kAxes; ++axis)
        for (std::size_t i = 0; i < layout.digits[axis].count; ++i)
            packed.words[axis / 2] |= std::uint64_t(layout.digits[axis].bits[i] + 1) << (axis % 2 * 32 + i * 4);
    return packed;
}

Lack lack(const PackedDigits& now, const PackedDigits& next, double share, int nearBits)
{
    const std::array<Agreement, 2> parts{
        Agreement(now.words[0], next.words[0], nearBits), Agreement(now.words[1], next.words[1], nearBits)};
    const auto& [a, b] = parts;
    const double kept = powerOfTwo(-count(a.both(), b.both()));
    const double nearby = kept * powerOfTwo(count(a.farther(), b.farther()));
    // Of the conditions that a domain meets, half of its ranks meet each; others some domain meets with no rank.
    const int halvings = count(a.unlikeFar() & ~a.wantsFar, b.unlikeFar() & ~b.wantsFar);
    const bool asks = ((a.unlikeFar() & a.wantsFar) | (b.unlikeFar() & b.wantsFar)) != 0;
    return {nearby - (meetsDomainsAlone(now, next, parts) ? 0 : kept),
        (asks ? share : share - nearby * powerOfTwo(-halvings)) * powerOfTwo(nearBits)};
}

unsigned gatheredBits(const PackedDigits& now, const PackedDigits& next)
{
    unsigned gathered = 0;
    for (std::size_t i = 0; i < now.words.size(); ++i) {
        const std::uint64_t rest = now.words[i] ^ next.words[i];
        if ((rest & present(next.words[i]) * 15) != 0)
            return 0;
        eachUnlike(present(rest), rest, 0, [&](int bit, int) { gathered |= 1U << bit; });
    }
    return gathered;
}

Lack lack(const Layout& now, const Layout& next, int domain)
{
    assert(now.bits == next.bits && domain > 0);
    if (now.skewed.empty() && next.skewed.empty() && std::has_single_bit(unsigned(domain)))
        return lack(packed(now), packed(next), next.share(), std::min(now.bits, std::countr_zero(unsigned(domain))));
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
    const double share = next.share(), part = common(now, next);
    std::vector<std::pair<Slices, std::uint64_t>> near;
    for (int first = 0; first < next.ranks(); first += domain) {
        const int end = std::min(next.ranks(), first + domain);
        near.clear();
        for (int rank = first; rank < end; ++rank)
            if (const Slices& held = holds[std::size_t(rank)];
                std::ranges::none_of(near, [&](const auto& other) { return other.first == held; }))
                near.emplace_back(held, coarsened(held, now, next));
        double across = 0;
        for (int rank = first; rank < end; ++rank) {
            const std::uint64_t wanted = coarsened(wants[std::size_t(rank)], next, now);
            // Parts of one layout are the same or have nothing in common.
            const double nearby =
                part * double(std::ranges::count_if(near, [&](const auto& held) { return held.second == wanted; }));
            const double kept = coarsened(holds[std::size_t(rank)], now, next) == wanted ? part : 0;
            most.inside = std::max(most.inside, nearby - kept);
            across += share - nearby;
        }
        most.across = std::max(most.across, across);
    }
    return most;
}

} // namespace stratoplan::partition
