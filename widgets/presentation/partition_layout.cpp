// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/partition_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kWidestCell = 190, kHighestCell = 150;
constexpr double kLeastGap = 5, kLeastPad = 4;
constexpr double kLeastBand = 17; ///< height in which a label can be read
constexpr double kLeastRoom = 24; ///< height below a number in which symbol and label can be

/// The number that these bits of a rank's number make up.
int gathered(int rank, unsigned mask)
{
    int number = 0;
    for (int bit = 31; bit >= 0; --bit)
        if ((mask >> unsigned(bit) & 1) != 0)
            number = 2 * number + (rank >> bit & 1);
    return number;
}

} // namespace

PartitionLayout::PartitionLayout(int bits, unsigned columnBits, int ranksPerDomain, double title, const QRectF& area)
    : m_columnBits(columnBits)
    , m_bits(bits)
{
    const unsigned all = (1U << unsigned(bits)) - 1;
    const int domain = std::min(ranksPerDomain, 1 << bits);
    const bool plates = domain > 1 && std::has_single_bit(unsigned(domain));
    const unsigned near = plates ? unsigned(domain) - 1 : all; // without plates all stand alike
    const int columns = 1 << std::popcount(all & columnBits), rows = 1 << std::popcount(all & ~columnBits);
    const double room = std::min(area.width() / columns, area.height() / rows);
    m_gap = std::clamp(std::round(room * 0.15), kLeastGap, 26.0);
    m_pad = plates ? std::clamp(std::round(room * 0.09), kLeastPad, 14.0) : 0;
    const Line x = line(columns, 1 << std::popcount(near & all & columnBits), 0, area.width(), kWidestCell);
    const Line y =
        line(rows, 1 << std::popcount(near & all & ~columnBits), plates ? title : 0, area.height(), kHighestCell);
    for (int rank = 0; rank < 1 << bits; ++rank)
        m_cells.emplace_back(area.left() + x.starts[std::size_t(column(rank))],
            area.top() + y.starts[std::size_t(row(rank))], x.size, y.size);
    for (int first = 0; plates && first < 1 << bits; first += domain)
        m_plates.push_back(QRectF(cell(first).topLeft(), cell(first + domain - 1).bottomRight())
                               .adjusted(-m_pad, -m_pad - title, m_pad, m_pad));
}

int PartitionLayout::leastHeight(int bits, unsigned columnBits, int ranksPerDomain, double title)
{
    const unsigned rows = ((1U << unsigned(bits)) - 1) & ~columnBits;
    const int domain = std::min(ranksPerDomain, 1 << bits);
    const bool plates = domain > 1 && std::has_single_bit(unsigned(domain));
    const int cells = 1 << std::popcount(rows);
    const int plateRows = plates ? 1 << std::popcount(rows & ~(unsigned(domain) - 1)) : 0;
    return int(std::ceil(cells * (kLeastBand + kLeastGap) + plateRows * (title + 2 * kLeastPad)));
}

PartitionLayout::Line PartitionLayout::line(int count, int perPlate, double before, double length, double most) const
{
    const int plateCount = count / perPlate;
    const double fixed = plateCount * (before + 2 * m_pad) + (plateCount - 1) * m_gap + (count - plateCount) * m_gap;
    Line cells;
    cells.size = std::floor(std::clamp((length - fixed) / count, 4.0, most));
    double at = std::max(0.0, std::floor((length - fixed - count * cells.size) / 2));
    for (int i = 0; i < count; ++i) {
        if (i % perPlate == 0)
            at += before + m_pad;
        cells.starts.push_back(at);
        at += cells.size + m_gap + (i % perPlate == perPlate - 1 ? m_pad : 0);
    }
    return cells;
}

int PartitionLayout::column(int rank) const
{
    return gathered(rank, m_columnBits);
}

int PartitionLayout::row(int rank) const
{
    return gathered(rank, ((1U << unsigned(m_bits)) - 1) & ~m_columnBits);
}

std::optional<int> PartitionLayout::rankAt(QPointF at) const
{
    const auto found = std::find_if(m_cells.begin(), m_cells.end(), [at](const QRectF& c) { return c.contains(at); });
    return found == m_cells.end() ? std::nullopt : std::optional(int(found - m_cells.begin()));
}

int PartitionLayout::beside(int rank, int right, int down) const
{
    for (int other = 0; other < ranks(); ++other)
        if (column(other) == column(rank) + right && row(other) == row(rank) + down)
            return other;
    return rank;
}

QRectF numberRect(const QRectF& cell, QSizeF number)
{
    const bool above = cell.height() - number.height() >= kLeastRoom;
    return above ? QRectF(cell.topLeft(), QSizeF(cell.width(), number.height()))
                 : QRectF(cell.topLeft(), QSizeF(number.width(), cell.height()));
}

QRectF bandRect(const QRectF& cell, QSizeF number, int band, int bands)
{
    const QRectF numbered = numberRect(cell, number);
    const bool above = numbered.width() == cell.width();
    const QRectF room = above ? cell.adjusted(0, numbered.height(), 0, 0) : cell.adjusted(numbered.width(), 0, 0, 0);
    if (room.height() / bands >= kLeastBand) {
        const double height = room.height() / bands;
        return {room.left(), room.top() + band * height, room.width(), height};
    }
    const double width = room.width() / bands;
    return {room.left() + band * width, room.top(), width, room.height()};
}

} // namespace stratoplan::widgets
