// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/partition_scene.h"

#include <cmath>
#include <utility>

namespace stratoplan::widgets {

using namespace partition;

PartitionScene::PartitionScene(Setting setting)
    : m_setting(std::move(setting))
    , m_division(m_setting.sequence)
{
    for (const Phase phase : kPhases)
        m_moves[std::size_t(phase)] = moves(m_division, phase);
}

Moment PartitionScene::momentAt(int index) const
{
    return {Phase(index / m_division.steps()), index % m_division.steps()};
}

HeldBlock PartitionScene::held(Tensor tensor, int rank, Moment moment) const
{
    HeldBlock block{tensor, {}, m_division.block(tensor, rank, moment.phase, moment.step)};
    for (const Dimension dimension : kDimensions)
        if (has(tensor, dimension))
            block.slices[std::size_t(dimension)] = m_division.slice(dimension, rank, moment.phase, moment.step);
    return block;
}

ElementRange PartitionScene::elements(const HeldBlock& block, Dimension dimension) const
{
    const double size = m_setting.size.along(dimension);
    const double slices = m_division.slices(dimension);
    const double slice = block.slices[std::size_t(dimension)];
    return {std::llround(std::floor(size * slice / slices)), std::llround(std::floor(size * (slice + 1) / slices)) - 1};
}

Bytes PartitionScene::blockBytes(Tensor tensor) const
{
    return Bytes(partition::elements(tensor, m_setting.size) / m_division.blocks(tensor) * m_setting.bytesPerElement);
}

std::vector<Transfer> PartitionScene::transfers(Moment moment) const
{
    std::vector<Transfer> all;
    for (const Move& move : m_moves[std::size_t(moment.phase)]) {
        if (move.step != moment.step)
            continue;
        for (int rank = 0; rank < ranks(); ++rank) {
            const int from = move.senders[std::size_t(rank)];
            const int domain = m_setting.ranksPerDomain;
            if (from != rank)
                all.push_back(
                    {move.tensor, from, rank, from / domain != rank / domain, move.tensor == result(moment.phase)});
        }
    }
    return all;
}

std::vector<std::vector<int>> PartitionScene::sumGroups(Moment moment) const
{
    if (!endsPhase(moment))
        return {};
    return groupsOf(m_division.reducedBits(moment.phase), ranks());
}

std::vector<std::vector<int>> groupsOf(unsigned bits, int ranks)
{
    std::vector<std::vector<int>> groups;
    for (int first = 0; bits != 0 && first < ranks; ++first) {
        if ((unsigned(first) & bits) != 0)
            continue;
        groups.emplace_back();
        for (int rank = first; rank < ranks; ++rank)
            if ((unsigned(rank) & ~bits) == unsigned(first))
                groups.back().push_back(rank);
    }
    return groups;
}

unsigned columnBits(const std::vector<Sequence>& sequences, int bits)
{
    unsigned chosen = (1U << unsigned((bits + 1) / 2)) - 1;
    int order = 0;
    for (const Sequence& sequence : sequences) {
        int left = bits;
        for (const Part& part : sequence) {
            left -= part.order > 0 ? 2 * part.order : 1;
            if (part.order <= order)
                continue;
            order = part.order;
            chosen = 0; // rows and columns take turns; of an odd number of bits most are columns, as there is more room
            for (int bit = bits % 2 == 0 ? left % 2 : 0; bit < bits; bit += 2)
                chosen |= 1U << unsigned(bit);
        }
    }
    return chosen;
}

Bytes summaBytes(int side, Bytes first, Bytes second)
{
    return (first + second) * (double(side - 1) / (double(side) * side));
}

} // namespace stratoplan::widgets
