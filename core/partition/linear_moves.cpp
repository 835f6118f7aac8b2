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
int leaving(const std::vector<int>& senders, int size)
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

double LinearSize::along(Dimension dimension) const
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
            product *= size.along(Dimension(dimension));
    return product;
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

Crossing crossing(const std::vector<int>& senders, const cluster::Span& group)
{
    return {
        isMove(senders), leaving(senders, group.inside), group.insideLeaf > 0 ? leaving(senders, group.insideLeaf) : 0};
}

Seconds moveSeconds(const GroupPlace& place, const Crossing& crossing, Bytes block)
{
    if (!crossing.any)
        return {};
    const Seconds inside = pointToPoint(place.topology, {2, 2}, block);
    if (crossing.domain == 0)
        return inside;
    cluster::Span sender{2, 1, place.span.sharingUplink * crossing.domain, 0, 1};
    if (crossing.leaf > 0) {
        sender.insideLeaf = 1;
        sender.sharingLeaf = place.span.sharingLeaf * crossing.leaf;
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

LinearTraffic::LinearTraffic(const LinearPartition& partition, const cluster::Span& group)
    : steps(partition.steps())
{
    for (int dimension = 0; dimension < kDimensions; ++dimension)
        slices[std::size_t(dimension)] = partition.slices(Dimension(dimension));
    for (const Tensor tensor : kTensors)
        blocks[std::size_t(tensor)] = partition.blocks(tensor);
    for (const Phase phase : kPhases) {
        for (const Move& move : moves(partition, phase))
            travels[std::size_t(phase)].push_back({move.tensor, move.step, crossing(move.senders, group)});
        reducedBits[std::size_t(phase)] = partition.reducedBits(phase);
    }
}

} // namespace stratoplan::partition
