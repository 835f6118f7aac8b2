// SPDX-License-Identifier: GPL-3.0-or-later
// Where the ranks of a group stand in a picture: a grid of cells, on a plate for each domain.
#pragma once

#include <QRectF>
#include <optional>
#include <vector>

namespace stratoplan::widgets {

class PartitionLayout {
public:
    PartitionLayout() = default;
    /// `columnBits`: of a rank's number, those that lay ranks out side by side. `title`: height of the line over a
    /// plate. A domain that is no power of two has no plate.
    PartitionLayout(int bits, unsigned columnBits, int ranksPerDomain, double title, const QRectF& area);

    /// Of an area in which the labels of all cells can be read.
    [[nodiscard]] static int leastHeight(int bits, unsigned columnBits, int ranksPerDomain, double title);

    [[nodiscard]] int ranks() const { return int(m_cells.size()); }
    [[nodiscard]] const QRectF& cell(int rank) const { return m_cells[std::size_t(rank)]; }
    /// By domain; none where each rank is alone in its domain.
    [[nodiscard]] const std::vector<QRectF>& plates() const { return m_plates; }
    [[nodiscard]] double gap() const { return m_gap; } ///< between cells

    [[nodiscard]] std::optional<int> rankAt(QPointF at) const;
    /// The neighbour in the picture; the rank itself at an edge.
    [[nodiscard]] int beside(int rank, int right, int down) const;
    [[nodiscard]] int row(int rank) const;
    [[nodiscard]] int column(int rank) const;

private:
    struct Line { ///< of cells, along x or along y
        std::vector<double> starts;
        double size = 0;
    };
    [[nodiscard]] Line line(int count, int perPlate, double before, double length, double most) const;

    std::vector<QRectF> m_cells;
    std::vector<QRectF> m_plates;
    unsigned m_columnBits = 0;
    int m_bits = 0;
    double m_gap = 0;
    double m_pad = 0; ///< of a plate, and half of what is between plates
};

/// Where a cell has its rank's number: over the bands, or before them where that left them too little height.
[[nodiscard]] QRectF numberRect(const QRectF& cell, QSizeF number);
/// `band` of `bands` in the rest of the cell: one below the other where that leaves room to read, else side by side.
[[nodiscard]] QRectF bandRect(const QRectF& cell, QSizeF number, int band, int bands);

} // namespace stratoplan::widgets
