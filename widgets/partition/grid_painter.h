// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a frame of a divided operator: plates of domains, cells with the blocks that ranks hold, groups that sum up,
// and arrows of what is under way.
#pragma once

#include "widgets/partition/grid_texts.h"

#include <optional>

namespace stratoplan::widgets {

struct GridMarks {
    int hovered = -1; ///< rank; -1: none
    int selected = -1;
    bool hasFocus = false;
    double travel = 0; ///< how far blocks on their way have come, 0 to 1; 0: none is drawn
    /// Whose arrows stand out.
    [[nodiscard]] int pointed() const { return hovered >= 0 ? hovered : selected; }
};

/// Keeps to the frame and the layout that it was made with, which have to outlive it.
class GridPainter {
public:
    GridPainter(const PartitionFrame& frame, const PartitionLayout& layout, const Tokens& tokens, const QFont& font);

    void paint(QPainter& painter, const GridMarks& marks) const;
    /// From the edge of what the sender holds to that of the receiver, bent to its left.
    [[nodiscard]] QPainterPath curve(const BlockArrow& arrow) const;
    /// Where an arrow says what it carries; none where that would cover a text.
    [[nodiscard]] std::optional<QRectF> symbolPlace(const BlockArrow& arrow) const;
    [[nodiscard]] const GridTexts& texts() const { return m_texts; }

private:
    [[nodiscard]] QColor inkOf(const BlockArrow& arrow) const;
    [[nodiscard]] const QString& symbolOf(const BlockArrow& arrow) const;
    [[nodiscard]] static bool isStrong(const BlockArrow& arrow, const GridMarks& marks);
    [[nodiscard]] bool isFar(const QPainterPath& path) const;
    void paintPlates(QPainter& painter) const;
    void paintCell(QPainter& painter, int rank, const GridMarks& marks) const;
    void paintMarks(QPainter& painter, const GridMarks& marks) const;
    void paintSums(QPainter& painter, int pointed) const;
    void paintArrows(QPainter& painter, const GridMarks& marks, bool strong) const;
    void paintArrow(QPainter& painter, const BlockArrow& arrow, bool strong, bool faint) const;
    void paintSymbols(QPainter& painter, const GridMarks& marks) const;
    void paintTravelling(QPainter& painter, const GridMarks& marks) const;

    const PartitionFrame& m_frame;
    const PartitionLayout& m_layout;
    const Tokens& m_tokens;
    GridTexts m_texts;
};

} // namespace stratoplan::widgets
