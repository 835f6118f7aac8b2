// SPDX-License-Identifier: Apache-2.0
#include "core/partition/linear_moves.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace stratoplan::partition {
namespace {

bool isMove(const std::vector<int>& senders)
{
    for (std::size_t rank = 0; rank < senders.size(); ++rank)
        if (senders[rank] != int(rank))
            return true;
    return false;
}

/// The most that one unit of `size` neighbouring ranks sends to others, or gets from them. 0: nothing crosses.
int crossing(const std::vector<int>& senders, int size)
{
    const std::size_t units = (senders.size() + std::size_t(size) - 1) / std::size_t(size);
    std::vector<int> out(units), in(units);
    for (int rank = 0; rank < int(senders.size()); ++rank) {
        const int from = senders[std::size_t(rank)] / size, to = rank / size;
        if (from == to)
            continue;
        ++out[std::size_t(from)];
        ++in[std::size_t(to)];
    }
    return std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()));
}

/// Ranks of a group over `bits` that lie in the first `unit` ranks.
int within(unsigned bits, int ranks, int unit)
{
    int count = 0;
    for (int rank = 0; rank < std::min(unit, ranks); ++rank)
        count += (unsigned(rank) & ~bits) == 0;
    return count;
}

} // namespace

double LinearSize::of(Dimension dimension) const
{
    switch (dimension) {
    case Dimension::B:
        return b;
    case Dimension::M:
        return m;
    case Dimension::N:
        return n;
    case Dimension::K:
        break;
    }
    return k;
}

double elements(Tensor tensor, const LinearSize& size)
{
    double product = 1;
    for (int dimension = 0; dimension < kDimensions; ++dimension)
        if (has(tensor, Dimension(dimension)))
            product *= size.of(Dimension(dimension));
    return product;
}

double blockElements(const LinearPartition& partition, Tensor tensor, const LinearSize& size)
{
    return elements(tensor, size) / partition.blocks(tensor);
}

std::vector<Move> moves(const LinearPartition& partition, Phase phase)
{
    std::vector<Move> all;
    const int last = partition.steps() - 1;
    for (int step = 0; step < last; ++step)
        for (const Tensor tensor : kTensors)
            if (auto senders = partition.senders(tensor, {phase, step}, {phase, step + 1}); isMove(senders))
                all.push_back({tensor, step + int(tensor == result(phase)), std::move(senders)});
    if (phase == Phase::Backward)
        if (auto senders = partition.senders(Tensor::Weight, {phase, last}, {Phase::Forward, 0}); isMove(senders))
            all.push_back({Tensor::Weight, last, std::move(senders)});
    return all;
}

Seconds moveSeconds(const GroupPlace& place, const std::vector<int>& senders, Bytes block)
{
    if (!isMove(senders))
        return {};
    const cluster::Span& group = place.span;
    const Seconds inside = pointToPoint(place.topology, {2, 2}, block);
    const int crossingDomain = crossing(senders, group.inside);
    if (crossingDomain == 0)
        return inside;
    cluster::Span sender{2, 1, group.sharingUplink * crossingDomain, 0, 1};
    const int crossingLeaf = group.insideLeaf > 0 ? crossing(senders, group.insideLeaf) : 0;
    if (crossingLeaf > 0) {
        sender.insideLeaf = 1;
        sender.sharingLeaf = group.sharingLeaf * crossingLeaf;
    }
    return std::max(inside, pointToPoint(place.topology, sender, block));
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
