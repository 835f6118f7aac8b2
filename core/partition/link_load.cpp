// SPDX-License-Identifier: Apache-2.0
#include "core/partition/link_load.h"

#include <algorithm>
#include <bit>

namespace stratoplan::partition {
namespace {

/// Ranks of a group over `bits` that lie in the first `unit` ranks.
int within(unsigned bits, int ranks, int unit)
{
    int count = 0;
    for (int rank = 0; rank < std::min(unit, ranks); ++rank)
        count += (unsigned(rank) & ~bits) == 0;
    return count;
}

} // namespace

void LinkLoad::add(const LinkShares& shares, Bytes whole)
{
    inside += whole * shares.inside;
    for (std::size_t unit = 0; unit < kUnits; ++unit)
        leaving[unit] += whole * shares.leaving[unit];
    senders = std::max(senders, shares.senders);
}

Seconds seconds(const GroupPlace& place, const LinkLoad& load)
{
    const std::vector<cluster::TopologyLevel>& levels = place.topology.levels;
    Seconds longest{};
    if (load.inside > Bytes{})
        longest = levels.at(0).latency + load.inside / bandwidthInside(place.topology, place.span);
    for (std::size_t unit = 0; unit < kUnits; ++unit) {
        const Bytes over = crossing(place.topology, load.leaving, unit);
        if (over <= Bytes{})
            continue;
        const int senders = unit == 0 ? load.senders : ranksIn(place.span, unit);
        longest = std::max(
            longest, levels.at(unit + 1).latency + over / exitBandwidth(place.topology, place.span, unit + 1, senders));
    }
    return longest;
}

cluster::Span spanOfBits(const cluster::Span& group, unsigned bits)
{
    cluster::Span span{1 << std::popcount(bits), 1, 1};
    span.inside = within(bits, group.size, group.inside);
    span.sharingUplink = group.sharingUplink * std::max(1, group.inside / span.inside);
    for (std::size_t i = 0; i < span.outer.size() && group.outer[i].ranks > 0; ++i) {
        const int ranks = within(bits, group.size, group.outer[i].ranks);
        span.outer[i] = {ranks, group.outer[i].sharing * float(std::max(1, group.outer[i].ranks / ranks))};
    }
    span.box = boxOfBits(group.box, bits & unsigned(group.inside - 1));
    return span;
}

} // namespace stratoplan::partition
