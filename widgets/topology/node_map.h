// SPDX-License-Identifier: GPL-3.0-or-later
// All accelerators of a group of nodes as a picture, more of it the nearer one looks: far away an image, then squares,
// frames and numbers of the nodes, at last numbers of the accelerators.
#pragma once

#include "widgets/presentation/node_grid.h"
#include "widgets/presentation/tokens.h"

#include <QImage>

#include <vector>

class QPainter;

namespace stratoplan::widgets {

struct NodeMapContent {
    int nodes = 0;
    int perNode = 0;
    std::vector<int> places{}; ///< of each accelerator on the axis that colours them, -1 = idle; empty: all are alike
    int size = 0; ///< places on that axis
    bool isTracing = false; ///< all but `traced` step back
    std::vector<int> traced{}; ///< accelerators, rising
    int at = -1; ///< the one of them that the group is traced from
    bool operator==(const NodeMapContent&) const = default;
};

class NodeMap {
public:
    NodeMap(NodeMapContent content, QSizeF room);

    [[nodiscard]] const NodeMapContent& content() const { return m_content; }
    [[nodiscard]] const NodeGrid& grid() const { return m_grid; }
    [[nodiscard]] bool isColoured() const { return !m_content.places.empty(); }
    /// Whether accelerators that are all alike are large enough to be worth a look.
    [[nodiscard]] bool isReadable(double zoom) const;
    /// Invalid where the accelerator is idle. `plain`: that of accelerators which are alike.
    [[nodiscard]] QColor colour(int accelerator, const QColor& plain, const Tokens& tokens) const;
    /// The box has its corner at the origin; of it what lies in `exposed`.
    void paint(QPainter& painter, const QRectF& exposed, const QColor& plain, const Tokens& tokens) const;

private:
    void paintImage(QPainter& painter, double pixels, const QColor& plain, const Tokens& tokens) const;
    void paintNode(QPainter& painter, int node, double pixels, const QColor& plain, const Tokens& tokens) const;
    void paintCell(QPainter& painter, int accelerator, double fill, const QColor& plain, const Tokens& tokens) const;
    void paintNumbers(QPainter& painter, int node, double pixels, const QColor& plain, const Tokens& tokens) const;

    NodeMapContent m_content;
    NodeGrid m_grid;
    // Of the last zoom and theme: thousands of squares are drawn once.
    mutable QImage m_image;
    mutable int m_resolution = 0; ///< pixels of the image from one accelerator to the next
    mutable QRgb m_plain = 0;
    mutable ThemeKind m_theme{};
};

} // namespace stratoplan::widgets
