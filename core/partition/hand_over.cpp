// SPDX-License-Identifier: Apache-2.0
#include "core/partition/hand_over.h"

#include "core/units/hash.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace stratoplan::partition {
namespace {

/// Of the number of answers that are remembered, for a group of so many bits.
int knownBits(int bits)
{
    return std::min(13, 2 * bits + 8);
}

/// Of what the ranks of each unit lack, which is asked for by level.
template <class LackOf>
LinkShares sharesOf(LackOf lackOf, const cluster::Span& group)
{
    const Lack ofDomains = lackOf(std::size_t{0});
    LinkShares shares{ofDomains.inside, {ofDomains.across}, ofDomains.across > 0 ? group.inside : 0};
    for (std::size_t unit = 1; unit < kUnits && shares.leaving[unit - 1] > 0; ++unit)
        if (group.outer[unit - 1].ranks > 0)
            shares.leaving[unit] = lackOf(unit).across;
    return shares;
}

bool isPowerOfTwo(int ranks)
{
    return std::has_single_bit(unsigned(ranks));
}

} // namespace

Layouts::Layouts(const GroupPlace& place, const std::array<int, kAxes>& most)
    : m_place(place)
    , m_most(most)
    , m_hasLevels(isPowerOfTwo(place.span.size))
{
    for (std::size_t unit = 0; unit < kUnits; ++unit)
        m_hasLevels = m_hasLevels && isPowerOfTwo(ranksIn(place.span, unit));
    for (std::size_t unit = 0; unit < kUnits && m_hasLevels; ++unit)
        m_levels.inUnit[unit] = std::countr_zero(unsigned(std::min(ranksIn(place.span, unit), place.span.size)));
}

std::size_t Layouts::Hash::operator()(const Layout& layout) const
{
    NumberHash hash;
    for (const Digits& digits : layout.digits) {
        hash.add(digits.count);
        for (std::size_t i = 0; i < digits.count; ++i)
            hash.add(digits.bits[i]);
    }
    for (const std::uint16_t slice : layout.skewed)
        hash.add(slice);
    return hash.value();
}

int Layouts::number(const Layout& layout)
{
    const auto [known, isNew] = m_numbers.try_emplace(layout, int(m_layouts.size()));
    if (isNew) {
        m_layouts.push_back(layout);
        m_slices.push_back(slicesOf(layout));
        const Shape shape = shapeOf(layout, m_levels);
        const auto [number, isNewShape] = m_shapeNumbers.try_emplace(shape.key(), int(m_shapes.size()));
        if (isNewShape)
            m_shapes.push_back(shape);
        m_facts.push_back({packed(layout), layout.share(), layout.cuts(), number->second, !layout.skewed.empty()});
    }
    return known->second;
}

Sums Layouts::sums(const Layout& layout, unsigned bits)
{
    Sums sums{number(layout), bits};
    const auto [known, isNew] =
        m_sums.try_emplace(std::uint64_t(sums.layout) << 32 | std::uint64_t(bits), Sums{sums.layout, bits});
    if (!isNew)
        return known->second;
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
    sums.number = int(m_sums.size());
    sums.kind = kindOf(sums);
    return known->second = sums;
}

int Layouts::kindOf(const Sums& sums)
{
    const LevelCounts counts = countsOf(sums.bits, m_levels);
    int ofLevels = 0; // four bits a level
    for (const std::uint8_t count : counts)
        ofLevels = ofLevels << 4 | count;
    std::array<int, 5> key{shape(sums.layout), m_hasLevels ? ofLevels : int(sums.bits), -1, -1, -1};
    for (int way = 0; way < sums.ways; ++way)
        key[std::size_t(2 + way)] = shape(sums.scattered[std::size_t(way)]);
    return m_kinds.try_emplace(key, int(m_kinds.size())).first->second;
}

LinkShares Layouts::change(int now, int next)
{
    const Facts &from = facts(now), &to = facts(next);
    if (m_hasLevels && !from.isSkewed && !to.isSkewed)
        return sharesOf([&](std::size_t unit) { return lack(from.digits, to.digits, to.share, m_levels.inUnit[unit]); },
            m_place.span);
    const auto [known, isNew] = m_skewed.try_emplace(std::uint64_t(now) << 32 | std::uint64_t(next));
    if (isNew)
        known->second = sharesOf(
            [&](std::size_t unit) {
                return lackByRank((*this)[now], m_slices[std::size_t(now)], (*this)[next], m_slices[std::size_t(next)],
                    ranksIn(m_place.span, unit));
            },
            m_place.span);
    return known->second;
}

unsigned Layouts::gathered(int now, int next) const
{
    const Facts &from = facts(now), &to = facts(next);
    return from.isSkewed || to.isSkewed ? 0 : gatheredBits(from.digits, to.digits);
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
    for (std::size_t level = 0; level < std::min(kLinkLevels, place.topology.levels.size()); ++level) {
        const bool used = level == 0 ? span.size > 1 && span.inside > 1 : span.size > ranksIn(span, level - 1);
        if (!used)
            continue;
        LinkLoad full;
        (level == 0 ? full.inside : full.leaving[level - 1]) = whole;
        full.senders = span.inside;
        m_latency[level] = place.topology.levels[level].latency.value();
        m_perShare[level] = partition::seconds(place, full).value() - m_latency[level];
    }
    const std::size_t asked = std::size_t(span.size) * (2 * kMostBits + 1);
    for (std::vector<double>& known : m_collectives)
        known.assign(asked, -1);
}

double HandOver::collective(Pattern pattern, unsigned bits, int cuts)
{
    double& known = m_collectives[std::size_t(pattern)][bits * (2 * kMostBits + 1) + std::size_t(cuts)];
    if (known >= 0)
        return known;
    return known = secondsOf(pattern, spanOfBits(m_layouts.place().span, bits), cuts);
}

double HandOver::leastCollective(Pattern pattern, unsigned bits, int cuts)
{
    cluster::Span span = m_layouts.place().span;
    if (!span.box.isPlaced())
        return collective(pattern, bits, cuts);
    span.box = {};
    return secondsOf(pattern, spanOfBits(span, bits), cuts);
}

double HandOver::secondsOf(Pattern pattern, const cluster::Span& span, int cuts) const
{
    const cluster::Topology& topology = m_layouts.place().topology;
    const Bytes whole = m_whole / double(1U << cuts);
    return (pattern == Pattern::Gather          ? allGather(topology, span, whole)
            : pattern == Pattern::ReduceScatter ? reduceScatter(topology, span, whole)
                                                : allReduce(topology, span, whole))
        .value();
}

double HandOver::seconds(int now, int next)
{
    return now == next ? 0 : asked(now, next);
}

double HandOver::asked(int now, int next)
{
    if (const unsigned gathered = m_layouts.gathered(now, next); gathered != 0)
        return collective(Pattern::Gather, gathered, m_layouts.cuts(next));
    const LinkShares shares = m_layouts.change(now, next);
    double longest = 0;
    if (shares.inside > 0)
        longest = m_latency[0] + m_perShare[0] * shares.inside;
    for (std::size_t unit = 0; unit < kUnits; ++unit)
        if (const double over = crossing(m_layouts.place().topology, shares.leaving, unit); over > 0)
            longest = std::max(longest, m_latency[unit + 1] + m_perShare[unit + 1] * over);
    return longest;
}

HandOver::Way HandOver::shortest(const Sums& now, int next)
{
    const int cuts = m_layouts.cuts(now.layout);
    const double whole = collective(Pattern::AllReduce, now.bits, cuts);
    const double scatter = collective(Pattern::ReduceScatter, now.bits, cuts);
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
    const std::uint64_t key = std::uint64_t(now.number) << 32 | std::uint64_t(next);
    Known& known = m_known[scattered(key) >> m_shift];
    if (known.key != key) // sums are numbered from 1
        known = {key, now.bits == 0 ? seconds(now.layout, next) : shortest(now, next).seconds};
    return known.seconds;
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

void HandOver::forgetLeast()
{
    m_shapes = m_layouts.shapes();
    m_kinds = m_layouts.kinds();
    m_least.assign(m_shapes * m_shapes, -1);
    m_leastOfSums.assign(m_kinds * m_shapes, -1);
}

double HandOver::leastOf(const Sums& now, int next)
{
    const auto change = [&](int layout) {
        const int from = m_layouts.shape(layout), to = m_layouts.shape(next);
        double& known = m_least[std::size_t(from) * m_shapes + std::size_t(to)];
        if (known < 0)
            known = leastOf(m_layouts.shapeAt(from), m_layouts.shapeAt(to));
        return known;
    };
    if (now.bits == 0)
        return change(now.layout);
    const int cuts = m_layouts.cuts(now.layout);
    const double scatter = leastCollective(Pattern::ReduceScatter, now.bits, cuts);
    double shortest = leastCollective(Pattern::AllReduce, now.bits, cuts) + change(now.layout);
    for (int way = 0; way < now.ways && shortest > scatter; ++way)
        shortest = std::min(shortest, scatter + change(now.scattered[std::size_t(way)]));
    return shortest;
}

double HandOver::leastOf(const Shape& now, const Shape& next)
{
    if (!m_layouts.hasLevels())
        return 0;
    if (now.isSkewed || next.isSkewed)
        return leastInAll(now, next);
    LevelCounts more{};
    bool joins = true; // it may be a gather
    for (std::size_t axis = 0; axis < kAxes; ++axis)
        for (std::size_t level = 0; level < kLinkLevels; ++level) {
            joins &= now.digits[axis][level] >= next.digits[axis][level];
            more[level] = std::uint8_t(more[level] + now.digits[axis][level] - next.digits[axis][level]);
        }
    const double links = now.descends && next.descends ? leastOverLinks(now, next) : leastInAll(now, next);
    const unsigned gathered = joins ? bitsOf(more, m_layouts.levels()) : 0;
    if (gathered == 0)
        return links;
    int cuts = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis)
        cuts += next.count(axis);
    return std::min(links, leastCollective(Pattern::Gather, gathered, cuts));
}

/// As asked() has it.
double HandOver::leastOverLinks(const Shape& now, const Shape& next) const
{
    const LevelBits& levels = m_layouts.levels();
    double longest = 0;
    for (std::size_t unit = 0; unit < kUnits; ++unit) {
        if (unit > 0 && m_layouts.place().span.outer[unit - 1].ranks == 0)
            break;
        const Lack lacked = leastLack(now, next, unit, levels.inUnit[unit]);
        if (unit == 0 && lacked.inside > 0)
            longest = m_latency[0] + m_perShare[0] * lacked.inside;
        if (lacked.across <= 0)
            break;
        if (isBypassed(unit + 1)) // all of it may go on to the level above
            continue;
        longest = std::max(longest, m_latency[unit + 1] + m_perShare[unit + 1] * lacked.across);
    }
    return longest;
}

bool HandOver::isBypassed(std::size_t level) const
{
    const std::vector<cluster::TopologyLevel>& levels = m_layouts.place().topology.levels;
    return level < levels.size() && levels[level].isBypassed;
}

/// What leaves a domain, over the next level or past it, in the shares that suit best.
double HandOver::leastPerShareAcross() const
{
    if (!isBypassed(1) || m_perShare[2] <= 0)
        return m_perShare[1];
    return m_perShare[1] * m_perShare[2] / (m_perShare[1] + m_perShare[2]);
}

/// What a rank lacks comes over two links, in the shares that suit best.
double HandOver::leastInAll(const Shape& now, const Shape& next) const
{
    const cluster::Span& span = m_layouts.place().span;
    const LeastLacked lacked = leastLacked(now, next, m_layouts.levels().inUnit[0]);
    const double perAcross = leastPerShareAcross(), ofDomain = perAcross * lacked.ranks;
    double longest = 0;
    if (span.size == span.inside)
        longest = m_perShare[0] * lacked.all;
    else if (span.inside == 1)
        longest = perAcross * lacked.all;
    else if (m_perShare[0] + ofDomain > 0)
        longest = std::max(perAcross * span.inside * lacked.across,
            m_perShare[0] * ofDomain / (m_perShare[0] + ofDomain) * lacked.all);
    return longest;
}

} // namespace stratoplan::partition
