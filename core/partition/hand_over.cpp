// SPDX-License-Identifier: Apache-2.0
#include "core/partition/hand_over.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace stratoplan::partition {
namespace {

/// Of the number of answers that are remembered, for a group of so many bits.
int knownBits(int bits)
{
    return std::min(18, 2 * bits + 8);
}

/// Bits whose ranks gather their parts, where that is all that changes: the digits of a layout now beyond those that
/// come next, of which it has all. Else none.
unsigned gatheredBits(const Layout& now, const Layout& next)
{
    if (!now.skewed.empty() || !next.skewed.empty())
        return 0;
    unsigned gathered = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
        const Digits &has = now.digits[axis], &wants = next.digits[axis];
        if (has.count < wants.count)
            return 0;
        for (std::size_t i = 0; i < has.count; ++i) {
            if (i >= wants.count)
                gathered |= 1U << has.bits[i];
            else if (has.bits[i] != wants.bits[i])
                return 0;
        }
    }
    return gathered;
}

/// Of what the ranks of each domain, and of each leaf, lack.
template <class LackOf>
LinkShares sharesOf(LackOf lackOf, const cluster::Span& group)
{
    const Lack ofDomains = lackOf(group.inside);
    const bool crosses = ofDomains.across > 0;
    return {ofDomains.inside, ofDomains.across, crosses && group.insideLeaf > 0 ? lackOf(group.insideLeaf).across : 0,
        crosses ? group.inside : 0};
}

} // namespace

std::size_t Layouts::Hash::operator()(const Layout& layout) const
{
    std::uint64_t hash = 14695981039346656037ULL; // FNV-1a, a digit at a time
    const auto take = [&](unsigned number) { hash = (hash ^ number) * 1099511628211ULL; };
    for (const Digits& digits : layout.digits) {
        take(digits.count);
        for (std::size_t i = 0; i < digits.count; ++i)
            take(digits.bits[i]);
    }
    for (const std::uint16_t slice : layout.skewed)
        take(slice);
    return hash ^ hash >> 29;
}

int Layouts::number(const Layout& layout)
{
    const auto [known, isNew] = m_numbers.try_emplace(layout, int(m_layouts.size()));
    if (isNew) {
        m_layouts.push_back(layout);
        m_slices.push_back(slicesOf(layout));
        m_shares.push_back(layout.share());
        m_cuts.push_back(layout.cuts());
    }
    return known->second;
}

Sums Layouts::sums(const Layout& layout, unsigned bits)
{
    Sums sums{number(layout), bits};
    for (const Axis axis : {Axis::Batch, Axis::Tokens, Axis::Channels}) {
        Layout scattered = layout;
        Digits& digits = scattered.digits[std::size_t(axis)];
        if (bits == 0 || (axis == Axis::Channels && !layout.skewed.empty()))
            continue;
        for (int bit = layout.bits - 1; bit >= 0; --bit)
            if ((bits >> bit & 1) != 0)
                digits.append(bit);
        if (digits.count <= m_most[std::size_t(axis)])
            sums.scattered[std::size_t(sums.ways++)] = number(scattered);
    }
    return sums;
}

LinkShares Layouts::change(int now, int next)
{
    const Layout &from = (*this)[now], &to = (*this)[next];
    if (from.skewed.empty() && to.skewed.empty())
        return sharesOf([&](int unit) { return lack(from, to, unit); }, m_place.span);
    const auto [known, isNew] = m_skewed.try_emplace(std::uint64_t(now) << 32 | std::uint64_t(next));
    if (isNew)
        known->second = sharesOf(
            [&](int unit) {
                return lackByRank(from, m_slices[std::size_t(now)], to, m_slices[std::size_t(next)], unit);
            },
            m_place.span);
    return known->second;
}

double Layouts::lacked(int now, int next) const
{
    const Layout &from = (*this)[now], &to = (*this)[next];
    const int everybody = from.ranks();
    if (from.skewed.empty() && to.skewed.empty())
        return lack(from, to, everybody).inside;
    return lackByRank(from, m_slices[std::size_t(now)], to, m_slices[std::size_t(next)], everybody).inside;
}

HandOver::HandOver(Layouts& layouts, Bytes whole)
    : m_layouts(layouts)
    , m_whole(whole)
    , m_known(std::size_t(1) << knownBits(std::countr_zero(unsigned(layouts.place().span.size))))
    , m_shift(65 - int(std::bit_width(m_known.size())))
{
    const GroupPlace& place = layouts.place();
    const cluster::Span& span = place.span;
    const std::array<LinkLoad, 3> full{
        LinkLoad{whole, {}, {}, 0}, LinkLoad{{}, whole, {}, span.inside}, LinkLoad{{}, {}, whole, span.inside}};
    const std::array used{
        span.size > 1 && span.inside > 1, span.size > span.inside, span.insideLeaf > 0 && span.size > span.insideLeaf};
    for (std::size_t level = 0; level < full.size(); ++level) {
        if (!used[level] || level >= place.topology.levels.size())
            continue;
        m_latency[level] = place.topology.levels[level].latency.value();
        m_perShare[level] = partition::seconds(place, full[level]).value() - m_latency[level];
    }
    const std::size_t asked = std::size_t(span.size) * (2 * kMostBits + 1);
    for (std::vector<double>& known : m_collectives)
        known.assign(asked, -1);
}

double HandOver::collective(Pattern pattern, unsigned bits, int part)
{
    double& known = m_collectives[std::size_t(pattern)][bits * (2 * kMostBits + 1) + std::size_t(m_layouts.cuts(part))];
    if (known >= 0)
        return known;
    const cluster::Topology& topology = m_layouts.place().topology;
    const cluster::Span span = spanOfBits(m_layouts.place().span, bits);
    const Bytes bytes = m_whole * m_layouts.share(part);
    return known = (pattern == Pattern::Gather         ? allGather(topology, span, bytes)
                   : pattern == Pattern::ReduceScatter ? reduceScatter(topology, span, bytes)
                                                       : allReduce(topology, span, bytes))
                       .value();
}

double HandOver::seconds(int now, int next)
{
    if (now == next)
        return 0;
    const std::uint64_t key = std::uint64_t(now) << 32 | std::uint64_t(next);
    Known& known = m_known[key * 0x9E3779B97F4A7C15ULL >> m_shift];
    if (known.key != key) // no pair of unlike layouts has the key nothing
        known = {key, asked(now, next)};
    return known.seconds;
}

double HandOver::asked(int now, int next)
{
    if (const unsigned gathered = gatheredBits(m_layouts[now], m_layouts[next]); gathered != 0)
        return collective(Pattern::Gather, gathered, next);
    const LinkShares shares = m_layouts.change(now, next);
    double longest = 0;
    if (shares.inside > 0)
        longest = m_latency[0] + m_perShare[0] * shares.inside;
    if (shares.domain > 0)
        longest = std::max(longest, m_latency[1] + m_perShare[1] * shares.domain);
    if (shares.leaf > 0)
        longest = std::max(longest, m_latency[2] + m_perShare[2] * shares.leaf);
    return longest;
}

HandOver::Way HandOver::shortest(const Sums& now, int next)
{
    const double whole = collective(Pattern::AllReduce, now.bits, now.layout);
    const double scatter = collective(Pattern::ReduceScatter, now.bits, now.layout);
    Way best{std::numeric_limits<double>::infinity()};
    for (int way = 0; way < now.ways && best.seconds > scatter; ++way)
        if (const double time = scatter + seconds(now.scattered[std::size_t(way)], next); time < best.seconds)
            best = {time, now.scattered[std::size_t(way)]};
    if (best.seconds > whole)
        if (const double time = whole + seconds(now.layout, next); time < best.seconds)
            best = {time};
    return best;
}

double HandOver::seconds(const Sums& now, int next)
{
    return now.bits == 0 ? seconds(now.layout, next) : shortest(now, next).seconds;
}

Bytes HandOver::bytes(const Sums& now, int next)
{
    if (now.bits == 0)
        return bytes(now.layout, next);
    const double ranks = 1 << std::popcount(now.bits);
    const Bytes summed = m_whole * (m_layouts.share(now.layout) * (ranks - 1) / ranks);
    const Way way = shortest(now, next);
    return way.scattered ? summed + bytes(*way.scattered, next) : summed * 2 + bytes(now.layout, next);
}

double HandOver::leastSeconds(const Sums& now)
{
    if (now.bits == 0)
        return 0;
    return std::min(
        collective(Pattern::AllReduce, now.bits, now.layout), collective(Pattern::ReduceScatter, now.bits, now.layout));
}

} // namespace stratoplan::partition
