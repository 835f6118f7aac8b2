// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/node_grid.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

// Between nodes, in pitches of accelerators.
constexpr double kGapAcross = 0.6;
constexpr double kGapDown = 0.9; ///< a number of the node fits into it
constexpr double kWholeRows = 1.12; ///< that whole rows are worth

int ceilDivide(int a, int b)
{
    return (a + b - 1) / b;
}

} // namespace

NodeGrid::NodeGrid(int nodes, int perNode, QSizeF room)
    : m_nodes(std::max(0, nodes))
    , m_perNode(std::max(0, perNode))
{
    if (accelerators() == 0 || room.isEmpty())
        return;
    // Twice as wide as high, in whole rows where they can be.
    m_inRows = std::max(1, static_cast<int>(std::sqrt(m_perNode / 2.0)));
    while (m_inRows > 1 && m_perNode % m_inRows != 0)
        --m_inRows;
    m_inColumns = ceilDivide(m_perNode, m_inRows);
    const double alike =
        std::sqrt(m_nodes * room.width() * (m_inRows + kGapDown) / (room.height() * (m_inColumns + kGapAcross)));
    Fit best;
    double worth = 0;
    const int most = std::min(m_nodes, static_cast<int>(std::ceil(alike * 1.5)));
    for (int columns = std::max(1, static_cast<int>(alike / 1.5)); columns <= most; ++columns) {
        const Fit trial = fit(columns, room);
        const double each = trial.pitch * (m_nodes % columns == 0 ? kWholeRows : 1);
        if (each > worth) {
            worth = each;
            best = trial;
        }
    }
    m_columns = best.columns;
    m_pitch = best.pitch;
    const QSizeF used(m_columns * step().width(), ceilDivide(m_nodes, m_columns) * step().height());
    m_bounds = QRectF({(room.width() - used.width()) / 2, (room.height() - used.height()) / 2}, used);
}

NodeGrid::Fit NodeGrid::fit(int columns, QSizeF room) const
{
    const double across = columns * (m_inColumns + kGapAcross);
    const double down = ceilDivide(m_nodes, columns) * (m_inRows + kGapDown);
    return {columns, std::min(room.width() / across, room.height() / down)};
}

QSizeF NodeGrid::step() const
{
    return QSizeF(m_inColumns + kGapAcross, m_inRows + kGapDown) * m_pitch;
}

QPointF NodeGrid::corner(int node) const
{
    return m_bounds.topLeft() + QPointF(kGapAcross / 2, kGapDown * 0.8) * m_pitch
        + QPointF(node % m_columns * step().width(), node / m_columns * step().height());
}

QRectF NodeGrid::nodeRect(int node) const
{
    const double margin = 0.1 * m_pitch;
    return QRectF(corner(node), QSizeF(m_inColumns, m_inRows) * m_pitch).adjusted(-margin, -margin, margin, margin);
}

QRectF NodeGrid::titleRect(int node) const
{
    const QRectF below = nodeRect(node);
    return {below.left(), below.top() - 0.7 * m_pitch, below.width(), 0.7 * m_pitch};
}

QRectF NodeGrid::cellRect(int accelerator) const
{
    const int inside = accelerator % m_perNode;
    return {corner(accelerator / m_perNode) + QPointF(inside % m_inColumns, inside / m_inColumns) * m_pitch,
        QSizeF(m_pitch, m_pitch)};
}

int NodeGrid::acceleratorAt(QPointF point) const
{
    if (!m_bounds.contains(point))
        return -1;
    const QPointF from = point - m_bounds.topLeft();
    const int column = std::min(m_columns - 1, static_cast<int>(from.x() / step().width()));
    const int node = static_cast<int>(from.y() / step().height()) * m_columns + column;
    if (node >= m_nodes)
        return -1;
    const QPointF inNode = (point - corner(node)) / m_pitch;
    const int x = static_cast<int>(std::floor(inNode.x())), y = static_cast<int>(std::floor(inNode.y()));
    const int inside = y * m_inColumns + x;
    return x < 0 || y < 0 || x >= m_inColumns || inside >= m_perNode ? -1 : node * m_perNode + inside;
}

int NodeGrid::neighbour(int accelerator, int right, int down) const
{
    const int node = accelerator / m_perNode, inside = accelerator % m_perNode;
    const int column = node % m_columns * m_inColumns + inside % m_inColumns + right;
    const int row = node / m_columns * m_inRows + inside / m_inColumns + down;
    if (column < 0 || row < 0 || column >= m_columns * m_inColumns)
        return accelerator;
    const int toNode = row / m_inRows * m_columns + column / m_inColumns;
    const int toInside = row % m_inRows * m_inColumns + column % m_inColumns;
    return toNode < m_nodes && toInside < m_perNode ? toNode * m_perNode + toInside : accelerator;
}

NodeGrid::Nodes NodeGrid::nodesIn(const QRectF& rect) const
{
    const QRectF part = rect.intersected(m_bounds).translated(-m_bounds.topLeft());
    if (part.isEmpty())
        return {};
    const int firstRow = static_cast<int>(part.top() / step().height());
    const int endRow = static_cast<int>(std::ceil(part.bottom() / step().height()));
    return {std::min(m_nodes, firstRow * m_columns), std::min(m_nodes, endRow * m_columns)};
}

} // namespace stratoplan::widgets
