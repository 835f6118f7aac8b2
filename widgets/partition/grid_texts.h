// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of a partition grid: titles of domains, numbers of ranks, and of each block as much as there is room for.
// They stay readable where arrows cross them.
#pragma once

#include "widgets/presentation/partition_frame.h"
#include "widgets/presentation/partition_layout.h"

#include <QFont>
#include <QPainterPath>
#include <initializer_list>
#include <vector>

class QPainter;

namespace stratoplan::widgets {

/// Keeps to the frame and the layout that it was made with, which have to outlive it.
class GridTexts {
public:
    GridTexts(const PartitionFrame& frame, const PartitionLayout& layout, const Tokens& tokens, const QFont& font);

    /// `hovered`: a rank, -1: none.
    void paint(QPainter& painter, const std::vector<QPainterPath>& crossing, int hovered) const;
    /// What is written on a band: with the letters of dimensions wherever they fit.
    [[nodiscard]] QString written(int rank, int band) const;
    [[nodiscard]] QRectF band(int rank, int band) const;
    [[nodiscard]] const std::vector<QRectF>& places() const { return m_places; }
    [[nodiscard]] bool isUnder(const QRectF& box) const; ///< any of them
    [[nodiscard]] const QFont& smallFont() const { return m_small; }

    /// Lines over a plate and over a cell, for a layout in this font.
    [[nodiscard]] static QFont smaller(const QFont& font);
    [[nodiscard]] static double titleHeight(const QFont& font);
    [[nodiscard]] static QSizeF numberSize(const QFont& font, int ranks);

private:
    /// What of a band's text there is room for, the same in all bands: first with letters, then numbers alone.
    enum class Writing { Line, TwoLines, Label, Stacked, TwoShortLines, Short, Wrapped, None };
    struct TextColours {
        QColor ink, ground;
    };
    struct TextPen {
        QPainter& painter;
        const std::vector<QPainterPath>& crossing; ///< arrows that texts have to be read over
        bool onFrames = false; ///< of sums, which may cross them
        void write(const QRectF& room, int flags, const QString& text, const TextColours& colours) const;
    };

    void findWidest();
    void findPlaces();
    void chooseWriting();
    /// In the largest font in which any of them fits, of so many pixels or more.
    [[nodiscard]] bool chooseWriting(std::initializer_list<Writing> writings, int smallest);
    [[nodiscard]] bool fits(Writing writing, const QFont& font) const;
    [[nodiscard]] QString writingOf(const BlockBand& band) const;
    [[nodiscard]] QRectF titleLine(std::size_t domain) const;
    [[nodiscard]] QString titleOf(std::size_t domain) const;
    [[nodiscard]] QRectF numberLine(int rank) const;
    [[nodiscard]] bool isNumberAbove(int rank) const;
    [[nodiscard]] int numberFlags(int rank) const;
    void paintNumber(const TextPen& pen, int rank, const QColor& ground) const;
    void paintLabels(const TextPen& pen, int rank) const;

    const PartitionFrame& m_frame;
    const PartitionLayout& m_layout;
    const Tokens& m_tokens;
    QFont m_small;
    QFont m_label;
    QSizeF m_number;
    struct { ///< texts of any band
        QString symbol, label, brief, half, slice;
    } m_widest;
    int m_mostSlices = 1;
    std::vector<QRectF> m_places;
    Writing m_writing = Writing::None;
};

} // namespace stratoplan::widgets
