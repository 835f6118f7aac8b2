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
    domain += whole * shares.domain;
    leaf += whole * shares.leaf;
    senders = std::max(senders, shares.senders);
}

Seconds seconds(const GroupPlace& place, const LinkLoad& load)
{
    const std::vector<cluster::TopologyLevel>& levels = place.topology.levels;
    Seconds longest{};
    if (load.inside > Bytes{})
        longest = levels.at(0).latency + load.inside / levels[0].bandwidth;
    if (load.domain > Bytes{}) {
        // Of a group that no leaf divides: its uplinks are looked at below.
        const cluster::Span ports{2 * load.senders, load.senders, place.span.sharingUplink, 0, 1};
        longest = std::max(longest, levels.at(1).latency + load.domain / uplinkBandwidth(place.topology, ports));
    }
    if (load.leaf > Bytes{})
        longest = std::max(longest,
            levels.at(2).latency + load.leaf * double(std::max(1, place.span.sharingLeaf)) / levels[2].bandwidth);
    return longest;
}

cluster::Span spanOfBits(const cluster::Span& group, unsigned bits)
{
    cluster::Span span{1 << std::popcount(bits), 1, 1, 0, 1};
    span.inside = within(bits, group.size, group.inside);
    span.sharingUplink = group.sharingUplink * std::max(1, group.inside / span.inside);
    if (group.insideLeaf > 0) {
        span.insideLeaf = within(bits, group.size, group.insideLeaf);
        span.sharingLeaf = group.sharingLeaf * std::max(1, group.insideLeaf / span.insideLeaf);
    }
    return span;
}

} // namespace stratoplan::partition
