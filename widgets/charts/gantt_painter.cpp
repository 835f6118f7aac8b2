// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/gantt_painter.h"

#include "widgets/charts/patterns.h"
#include "widgets/presentation/gantt_text.h"
#include "widgets/presentation/tokens.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kTextMargin = 3;
constexpr double kGapFrom = 6; // slices this wide, and their lane this high, are set apart by a line of background
constexpr double kTexturedFrom = 4; // pixels wide
constexpr double kTexturedHeight = 7; // above that of rows whose heights differ by rounding
constexpr double kNarrowestWait = 3; // drawn with the texture of its cause; the ground says the rest
constexpr std::size_t kMostNumbers = 10000; // laid out and kept
constexpr std::array kLevelShare{1.0, 0.4, 0.6, 0.8, 1.0}; // of the colour, by level

QColor inkOn(const QColor& fill, const Tokens& tokens)
{
    return blend(tokens.label(fill), fill, 0.3);
}

bool textured(const QRectF& rect)
{
    return rect.width() >= kTexturedFrom && rect.height() >= kTexturedHeight;
}

} // namespace

/// What a lane adds up to in a file of shapes: rectangles by kind and level, and the lines of their patterns.
struct GanttPainter::Shapes {
    std::array<std::array<QPainterPath, kFullLevel + 1>, pipeline::kSliceKinds> fills;
    std::array<QPainterPath, pipeline::kSliceKinds> lines;
};

/// Neighbouring pixels of merged slices that look alike.
struct GanttPainter::Run {
    float left = 0;
    float right = -1;
    pipeline::SliceKind kind = pipeline::SliceKind::Forward;
    int level = 0;
    [[nodiscard]] bool continues(const GanttMark& mark) const
    {
        return level == mark.level && kind == mark.kind && right == mark.left;
    }
};

void GanttPainter::setFont(const QFont& font)
{
    m_font = font;
    m_digit = QFontMetricsF(font).horizontalAdvance(u'0');
    m_numbers.clear();
    m_brushes.clear(); // the look changes together with the font
}

double GanttPainter::numberHeight() const
{
    return QFontMetricsF(m_font).ascent() + 2;
}

const QBrush& GanttPainter::brush(const QPainter& painter, const QColor& ground, const QColor& ink, Pattern pattern)
{
    const double ratio = painter.device()->devicePixelRatio() * painter.worldTransform().m11();
    const auto key = std::make_tuple(ground.rgba(), ink.rgba(), pattern, static_cast<int>(std::lround(ratio)));
    const auto found = m_brushes.find(key);
    return found != m_brushes.end() ? found->second
                                    : m_brushes.emplace(key, patternBrush(ground, ink, pattern, ratio)).first->second;
}

void GanttPainter::ground(const Frame& frame, const GanttIndex& index, const Lane& band)
{
    const double scale = frame.plot.width() / frame.view.length();
    const double left = frame.plot.left() + std::max(0.0, (0 - frame.view.low) * scale);
    const double right =
        std::min(frame.plot.right() + 1, frame.plot.left() + (index.whole().high - frame.view.low) * scale);
    if (right > left)
        frame.painter.fillRect(QRectF(left, band.top, right - left, band.height), frame.tokens.sunken);
}

void GanttPainter::waits(const Frame& frame, const GanttIndex& index, int stage, const Lane& band)
{
    if (band.height < kTexturedHeight)
        return;
    index.waitMarks(stage, frame.view, frame.plot.width(), kNarrowestWait, m_waitScratch);
    const QColor ink = blend(frame.tokens.mark(Mark::Bubble), frame.tokens.sunken, 0.55);
    std::map<Pattern, QPainterPath> lines;
    for (const WaitMark& mark : m_waitScratch) {
        const double left = frame.plot.left() + std::round(mark.left);
        const QRectF rect(left, band.top, frame.plot.left() + std::round(mark.right) - left, band.height);
        const Pattern pattern = patternOf(index.timeline().waits[mark.wait].cause);
        if (frame.vector)
            addPatternLines(lines[pattern], rect, pattern);
        else
            frame.painter.fillRect(rect, brush(frame.painter, frame.tokens.sunken, ink, pattern));
        ++m_marks;
    }
    for (const auto& [pattern, path] : lines)
        frame.painter.strokePath(path, QPen(ink, 1));
}

void GanttPainter::fill(const Frame& frame, const QRectF& rect, pipeline::SliceKind kind, int level, Shapes& shapes)
{
    ++m_marks;
    const Tokens& t = frame.tokens;
    const QColor colour = blend(t.mark(markOf(kind)), t.sunken, kLevelShare[static_cast<std::size_t>(level)]);
    const Pattern pattern = textured(rect) && (level == 0 || level == kFullLevel) ? patternOf(kind) : Pattern::Solid;
    if (!frame.vector) {
        if (pattern == Pattern::Solid)
            frame.painter.fillRect(rect, colour);
        else
            frame.painter.fillRect(rect, brush(frame.painter, colour, inkOn(colour, t), pattern));
        return;
    }
    const auto k = static_cast<std::size_t>(kind);
    shapes.fills[k][static_cast<std::size_t>(level)].addRect(rect);
    addPatternLines(shapes.lines[k], rect, pattern);
}

void GanttPainter::draw(const Frame& frame, const Shapes& shapes) const
{
    const Tokens& t = frame.tokens;
    for (std::size_t k = 0; k < pipeline::kSliceKinds; ++k) {
        const QColor colour = t.mark(markOf(static_cast<pipeline::SliceKind>(k)));
        for (std::size_t level = 0; level < shapes.fills[k].size(); ++level) {
            if (!shapes.fills[k][level].isEmpty())
                frame.painter.fillPath(shapes.fills[k][level], blend(colour, t.sunken, kLevelShare[level]));
        }
        if (!shapes.lines[k].isEmpty())
            frame.painter.strokePath(shapes.lines[k], QPen(inkOn(colour, t), 1));
    }
}

// In one piece: one pass over the slices of a lane, which joins the small ones to runs and keeps numbers for the end.
void GanttPainter::lane(
    const Frame& frame, const GanttIndex& index, const GanttLane& lane, const Lane& band, bool numbered)
{
    GanttIndex::marks(lane, frame.view, frame.plot.width(), m_scratch);
    frame.painter.setFont(m_font);
    const bool holdsNumbers = numbered && band.height >= numberHeight();
    struct Number {
        std::uint32_t slice = 0;
        QRectF rect;
    };
    std::vector<Number> numbers;
    Shapes shapes;
    Run run;
    const auto flush = [&] {
        if (run.right > run.left)
            fill(frame, QRectF(frame.plot.left() + run.left, band.top, run.right - run.left, band.height), run.kind,
                run.level, shapes);
        run.right = -1;
    };
    for (const GanttMark& mark : m_scratch) {
        if (mark.merged()) {
            if (!run.continues(mark)) {
                flush();
                run = {mark.left, mark.right, mark.kind, mark.level};
            }
            run.right = mark.right;
            continue;
        }
        flush();
        const double width = static_cast<double>(mark.right) - mark.left; // not rounded: equal slices are treated alike
        const double left = frame.plot.left() + std::round(mark.left);
        const double right =
            frame.plot.left() + std::round(mark.right) - (width >= kGapFrom && band.height >= kGapFrom ? 1 : 0);
        const QRectF rect(left, band.top, right - left, band.height);
        fill(frame, rect, mark.kind, 0, shapes);
        if (holdsNumbers && width >= m_digit + kTextMargin)
            numbers.push_back({mark.slice, rect});
    }
    flush();
    if (frame.vector)
        draw(frame, shapes);
    for (const Number& each : numbers)
        number(frame, index.slice(each.slice), each.rect);
}

void GanttPainter::number(const Frame& frame, const pipeline::Slice& slice, const QRectF& rect)
{
    if (slice.microBatch < 0 || static_cast<std::size_t>(slice.microBatch) >= kMostNumbers)
        return;
    const QRectF visible = rect.intersected(frame.plot);
    const QStaticText& text = label(slice.microBatch);
    if (text.size().width() + kTextMargin > visible.width() + 1)
        return;
    const QColor colour = frame.tokens.mark(markOf(slice.kind));
    const QPointF at(std::round(visible.center().x() - text.size().width() / 2),
        std::round(rect.center().y() - text.size().height() / 2));
    if (patternOf(slice.kind) != Pattern::Solid) // a plate keeps the pattern off the digits
        frame.painter.fillRect(QRectF(at, text.size()).adjusted(-1, 0, 1, 0).intersected(rect), colour);
    frame.painter.setPen(frame.tokens.label(colour));
    frame.painter.drawStaticText(at, text);
    ++m_labels;
}

const QStaticText& GanttPainter::label(int microBatch)
{
    const auto wanted = static_cast<std::size_t>(microBatch);
    while (m_numbers.size() <= wanted) {
        QStaticText text(QString::number(m_numbers.size()));
        text.setTextFormat(Qt::PlainText);
        text.setPerformanceHint(QStaticText::AggressiveCaching);
        text.prepare({}, m_font);
        m_numbers.push_back(std::move(text));
    }
    return m_numbers[wanted];
}

} // namespace stratoplan::widgets
