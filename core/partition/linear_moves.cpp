// SPDX-License-Identifier: Apache-2.0
#include "core/partition/linear_moves.h"

#include <algorithm>
#include <cassert>
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

/// The most blocks that one unit of `size` neighbouring ranks sends to others, or gets from them.
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

/// Whether some rank has its block from another one of the same domain.
bool staysInside(const std::vector<int>& senders, int domain)
{
    for (int rank = 0; rank < int(senders.size()); ++rank)
        if (const int from = senders[std::size_t(rank)]; from != rank && from / domain == rank / domain)
            return true;
    return false;
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
    for (const Dimension dimension : kDimensions)
        if (has(tensor, dimension))
            product *= size.along(dimension);
    return product;
}

std::vector<Move> moves(const LinearPartition& partition, Phase phase)
{
    std::vector<Move> all;
    if (partition.steps() == 1)
        return all; // blocks move with primitives alone
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

LinkShares linkShares(const std::vector<int>& senders, const cluster::Span& group)
{
    LinkShares shares{staysInside(senders, group.inside) ? 1.0 : 0.0};
    for (std::size_t unit = 0; unit < kUnits; ++unit)
        if (unit == 0 || group.outer[unit - 1].ranks > 0)
            shares.leaving[unit] = leaving(senders, ranksIn(group, unit));
    shares.senders = int(shares.leaving[0]);
    return shares;
}

LinearTraffic::LinearTraffic(const LinearPartition& partition, const cluster::Span& group)
    : steps(partition.steps())
{
    assert(group.size == partition.ranks());
    for (const Dimension dimension : kDimensions)
        slices[std::size_t(dimension)] = partition.slices(dimension);
    for (const Tensor tensor : kTensors)
        blocks[std::size_t(tensor)] = partition.blocks(tensor);
    for (const Phase phase : kPhases) {
        for (const Move& move : moves(partition, phase))
            travels[std::size_t(phase)].push_back({move.tensor, move.step, linkShares(move.senders, group)});
        reducedBits[std::size_t(phase)] = partition.reducedBits(phase);
    }
    if (const auto senders = partition.senders(Tensor::Weight, {Phase::Forward, steps - 1}, {Phase::Forward, 0});
        steps > 1 && isMove(senders))
        weightHome = linkShares(senders, group);
}

} // namespace stratoplan::partition
