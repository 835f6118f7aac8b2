// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a frame of a divided operator: plates of domains, cells with the blocks that ranks hold, groups that sum up,
// and arrows of what is under way.
#pragma once

#include "widgets/presentation/partition_frame.h"
#include "widgets/presentation/partition_layout.h"

#include <QFont>
#include <QPainterPath>

class QPainter;

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

    /// Lines over a plate and over a cell, for a layout in this font.
    [[nodiscard]] static QFont smallFont(const QFont& font);
    [[nodiscard]] static double titleHeight(const QFont& font);
    [[nodiscard]] static QSizeF numberSize(const QFont& font, int ranks);

private:
    /// What of a band's text there is room for, the same in all bands.
    enum class Writing { Line, TwoLines, Label, TwoShortLines, Short, Wrapped, None };

    void findWidest();
    void chooseWriting();
    [[nodiscard]] bool chooseWriting(int largest, int smallest); ///< in pixels
    [[nodiscard]] bool fits(Writing writing, const QFont& font) const;
    [[nodiscard]] QString writingOf(const BlockBand& band) const;
    [[nodiscard]] QRectF band(int rank, int band) const;
    [[nodiscard]] QColor inkOf(const BlockArrow& arrow) const;
    void paintPlates(QPainter& painter) const;
    void paintCell(QPainter& painter, int rank, const GridMarks& marks) const;
    void paintNumber(QPainter& painter, int rank) const;
    void paintText(QPainter& painter, int rank) const;
    void paintMarks(QPainter& painter, const GridMarks& marks) const;
    void paintSums(QPainter& painter, int pointed) const;
    void paintArrows(QPainter& painter, const GridMarks& marks, bool strong) const;
    void paintArrow(QPainter& painter, const BlockArrow& arrow, bool strong, bool faint) const;
    void paintSymbol(QPainter& painter, const BlockArrow& arrow, const QPainterPath& path) const;
    void paintTravelling(QPainter& painter, const GridMarks& marks) const;
    [[nodiscard]] int sumGroupOf(int rank) const;

    const PartitionFrame& m_frame;
    const PartitionLayout& m_layout;
    const Tokens& m_tokens;
    QFont m_small;
    QFont m_label;
    QSizeF m_number;
    struct { ///< texts of any band
        QString symbol, label, brief, half;
    } m_widest;
    Writing m_writing = Writing::None;
};

} // namespace stratoplan::widgets
