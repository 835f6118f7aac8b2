// SPDX-License-Identifier: Apache-2.0
#include "core/partition/linear_partition.h"

#include <cassert>
#include <utility>

namespace stratoplan::partition {
namespace {

/// Every second bit of `count` pairs, the first of each pair's or the second's.
int alternating(int bits, int count, bool first)
{
    int number = 0;
    for (int pair = count - 1; pair >= 0; --pair)
        number = 2 * number + (bits >> (2 * pair + int(first)) & 1);
    return number;
}

/// What the primitive appends to a slice's number, before it is taken modulo its side.
int advance(Dimension dimension, Phase phase, int row, int column, int step, int last)
{
    switch (phase) {
    case Phase::Forward:
        return dimension == Dimension::M ? row : dimension == Dimension::N ? row + column + step : column;
    case Phase::Backward:
        return dimension == Dimension::M ? row : dimension == Dimension::N ? row + column - 1 : column + step;
    case Phase::Gradient:
        break;
    }
    return dimension == Dimension::M ? row + step
        : dimension == Dimension::N  ? row + column - 1 + last
                                     : column - 1 + last;
}

} // namespace

Tensor result(Phase phase)
{
    constexpr std::array made{Tensor::Output, Tensor::Input, Tensor::Weight};
    return made[std::size_t(phase)];
}

bool has(Tensor tensor, Dimension dimension)
{
    switch (tensor) {
    case Tensor::Input:
        return dimension != Dimension::K;
    case Tensor::Weight:
        return dimension == Dimension::N || dimension == Dimension::K;
    case Tensor::Output:
        break;
    }
    return dimension != Dimension::N;
}

bool isReduced(Dimension dimension, Phase phase)
{
    return !has(result(phase), dimension);
}

LinearPartition::LinearPartition(Sequence sequence)
    : m_sequence(std::move(sequence))
    , m_bits(partition::bits(m_sequence))
    , m_steps(partition::steps(m_sequence))
{
    assert(m_bits <= kMostBits);
    int left = m_bits, stride = m_steps;
    for (const Part& part : m_sequence) {
        left -= part.order > 0 ? 2 * part.order : 1;
        stride >>= part.order;
        m_parts.push_back({part, left, stride});
    }
}

int LinearPartition::row(int rank, const Placed& placed)
{
    return alternating(rank >> placed.lowest, placed.part.order, true);
}

int LinearPartition::column(int rank, const Placed& placed)
{
    return alternating(rank >> placed.lowest, placed.part.order, false);
}

int LinearPartition::slices(Dimension dimension) const
{
    int count = 1;
    for (const Part& part : m_sequence)
        count <<= part.order > 0 ? (dimension == Dimension::B ? 0 : part.order) : int(part.dimension == dimension);
    return count;
}

int LinearPartition::slice(Dimension dimension, int rank, Phase phase, int step) const
{
    assert(rank >= 0 && rank < ranks() && step >= 0 && step < m_steps);
    int number = 0;
    for (const Placed& placed : m_parts) {
        if (placed.part.order == 0) {
            if (placed.part.dimension == dimension)
                number = 2 * number + (rank >> placed.lowest & 1);
        } else if (dimension != Dimension::B) {
            const int side = 1 << placed.part.order;
            const int value = advance(dimension, phase, row(rank, placed), column(rank, placed),
                step / placed.stride % side, int(step == m_steps - 1));
            number = side * number + ((value + side) & (side - 1));
        }
    }
    return number;
}

int LinearPartition::blocks(Tensor tensor) const
{
    int count = 1;
    for (const Dimension dimension : kDimensions)
        if (has(tensor, dimension))
            count *= slices(dimension);
    return count;
}

int LinearPartition::block(Tensor tensor, int rank, Phase phase, int step) const
{
    int number = 0;
    for (const Dimension dimension : kDimensions)
        if (has(tensor, dimension))
            number = number * slices(dimension) + slice(dimension, rank, phase, step);
    return number;
}

std::vector<int> LinearPartition::senders(Tensor tensor, Moment now, Moment next) const
{
    // Among ranks that hold the same block, each receives from the one that shares its other bits.
    const unsigned copied = copiedBits(tensor);
    const auto place = [&](int rank, Moment moment) {
        return std::size_t(block(tensor, rank, moment.phase, moment.step)) << m_bits | (unsigned(rank) & copied);
    };
    std::vector<int> holders(std::size_t(blocks(tensor)) << m_bits, -1);
    for (int rank = 0; rank < ranks(); ++rank)
        holders[place(rank, now)] = rank;
    std::vector<int> from(static_cast<std::size_t>(ranks()));
    for (int rank = 0; rank < ranks(); ++rank)
        from[std::size_t(rank)] = holders[place(rank, next)];
    return from;
}

unsigned LinearPartition::reducedBits(Phase phase) const
{
    unsigned mask = 0;
    for (const Placed& placed : m_parts)
        if (placed.part.order == 0 && isReduced(placed.part.dimension, phase))
            mask |= 1U << unsigned(placed.lowest);
    return mask;
}

unsigned LinearPartition::copiedBits(Tensor tensor) const
{
    unsigned mask = 0;
    for (const Placed& placed : m_parts)
        if (placed.part.order == 0 && !has(tensor, placed.part.dimension))
            mask |= 1U << unsigned(placed.lowest);
    return mask;
}

} // namespace stratoplan::partition
