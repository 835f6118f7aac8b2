// SPDX-License-Identifier: GPL-3.0-or-later
// All accelerators of a group of nodes in a box, however many: a grid of nodes, each a grid of accelerators in their
// order, row by row. Pure geometry in the units of the box, from its top left corner.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace stratoplan::widgets {

class NodeGrid {
public:
    NodeGrid() = default;
    /// The largest accelerators that fit; rows of nodes that are whole where that makes them little smaller.
    NodeGrid(int nodes, int perNode, QSizeF room);

    [[nodiscard]] int accelerators() const { return m_nodes * m_perNode; }
    [[nodiscard]] int perNode() const { return m_perNode; }
    /// From one accelerator to the next; 0 where there are none.
    [[nodiscard]] double pitch() const { return m_pitch; }
    /// The part of the room that is used, in its middle.
    [[nodiscard]] QRectF bounds() const { return m_bounds; }
    /// A node, with half of the gap to its neighbours less.
    [[nodiscard]] QRectF nodeRect(int node) const;
    /// Room for a line of text above a node.
    [[nodiscard]] QRectF titleRect(int node) const;
    /// One pitch of room, gap included.
    [[nodiscard]] QRectF cellRect(int accelerator) const;
    /// The accelerator there; -1: none.
    [[nodiscard]] int acceleratorAt(QPointF point) const;
    /// The accelerator so many columns right and rows down; itself, where there is none.
    [[nodiscard]] int neighbour(int accelerator, int right, int down) const;
    /// Nodes that reach into a rectangle lie between these, the last not included.
    struct Nodes {
        int first = 0, end = 0;
    };
    [[nodiscard]] Nodes nodesIn(const QRectF& rect) const;

private:
    /// Nodes in a row, and the pitch that they leave.
    struct Fit {
        int columns = 1;
        double pitch = 0;
    };
    [[nodiscard]] Fit fit(int columns, QSizeF room) const;
    [[nodiscard]] QSizeF step() const; ///< from one node to the next
    [[nodiscard]] QPointF corner(int node) const; ///< of its first cell

    int m_nodes = 0;
    int m_perNode = 0;
    int m_inColumns = 1, m_inRows = 1; ///< of accelerators in a node
    int m_columns = 1; ///< of nodes
    double m_pitch = 0;
    QRectF m_bounds;
};

} // namespace stratoplan::widgets
