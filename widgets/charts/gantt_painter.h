// SPDX-License-Identifier: GPL-3.0-or-later
// Draws lanes of a timeline: for the screen rectangle by rectangle with brushes that are made once, for a file of
// shapes as one path per kind and lane. Either way what it draws is bounded by the pixels of the view.
#pragma once

#include "widgets/presentation/gantt.h"
#include "widgets/presentation/gantt_rows.h"
#include "widgets/presentation/stacks.h"

#include <QBrush>
#include <QFont>
#include <QRectF>
#include <QStaticText>
#include <map>
#include <tuple>
#include <vector>

class QPainter;
class QPainterPath;

namespace stratoplan::widgets {

struct Tokens;

class GanttPainter {
public:
    /// Of the plot, in pixels.
    struct Lane {
        double top = 0;
        double height = 0;
    };
    struct Frame {
        QPainter& painter;
        QRectF plot;
        Interval view; ///< seconds that `plot` shows
        const Tokens& tokens;
        bool vector = false;
    };

    /// Of the numbers of micro-batches.
    void setFont(const QFont& font);
    /// A lane is this high, at least, to hold numbers.
    [[nodiscard]] double numberHeight() const;

    void beginFrame() { m_marks = m_labels = 0; }
    /// The ground of a lane up to the end of the step.
    void ground(const Frame& frame, const GanttIndex& index, const Lane& band);
    void waits(const Frame& frame, const GanttIndex& index, int stage, const Lane& band);
    /// `numbered`: with the numbers of the micro-batches where they fit.
    void lane(const Frame& frame, const GanttIndex& index, const GanttLane& lane, const Lane& band, bool numbered);

    /// Rectangles and numbers drawn since beginFrame(): what the cost of a frame is made of.
    [[nodiscard]] int marks() const { return m_marks; }
    [[nodiscard]] int labels() const { return m_labels; }

private:
    struct Shapes;
    struct Run;
    void fill(const Frame& frame, const QRectF& rect, pipeline::SliceKind kind, int level, Shapes& shapes);
    void draw(const Frame& frame, const Shapes& shapes) const;
    void number(const Frame& frame, const pipeline::Slice& slice, const QRectF& rect);
    [[nodiscard]] const QBrush& brush(
        const QPainter& painter, const QColor& ground, const QColor& ink, Pattern pattern);
    [[nodiscard]] const QStaticText& label(int microBatch);

    QFont m_font;
    double m_digit = 8;
    std::vector<QStaticText> m_numbers; ///< laid out once
    std::map<std::tuple<QRgb, QRgb, Pattern, int>, QBrush> m_brushes;
    std::vector<GanttMark> m_scratch;
    std::vector<WaitMark> m_waitScratch;
    int m_marks = 0;
    int m_labels = 0;
};

} // namespace stratoplan::widgets
