// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/patterns.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kHatchStep = 5; // pixels between lines

double onGrid(double from)
{
    return std::ceil(from / kHatchStep) * kHatchStep;
}

// Lines rather than a pattern brush: they stay lines in PDF and SVG, and sharp at every scale.
void hatch(QPainter& painter, const QRectF& r, Pattern pattern)
{
    const auto diagonal = [&](bool rising) {
        for (double x = std::floor(r.left() / kHatchStep) * kHatchStep - r.height(); x < r.right(); x += kHatchStep) {
            if (rising)
                painter.drawLine(QPointF(x, r.bottom()), QPointF(x + r.height(), r.top()));
            else
                painter.drawLine(QPointF(x, r.top()), QPointF(x + r.height(), r.bottom()));
        }
    };
    switch (pattern) {
    case Pattern::HatchForward:
        return diagonal(true);
    case Pattern::HatchBackward:
        return diagonal(false);
    case Pattern::HatchCross:
        diagonal(true);
        diagonal(false);
        break;
    case Pattern::HatchVertical:
        for (double x = onGrid(r.left()); x < r.right(); x += kHatchStep)
            painter.drawLine(QPointF(x, r.top()), QPointF(x, r.bottom()));
        break;
    case Pattern::HatchHorizontal:
        for (double y = r.top() + kHatchStep / 2; y < r.bottom(); y += kHatchStep)
            painter.drawLine(QPointF(r.left(), y), QPointF(r.right(), y));
        break;
    case Pattern::Dots:
        for (double y = r.top() + 3; y < r.bottom() - 1; y += kHatchStep) {
            for (double x = std::floor(r.left() / kHatchStep) * kHatchStep + 2; x < r.right() - 1; x += kHatchStep) {
                if (x > r.left())
                    painter.drawPoint(QPointF(x, y));
            }
        }
        break;
    case Pattern::Solid:
        break;
    }
}

void addLine(QPainterPath& path, QPointF from, QPointF to)
{
    path.moveTo(from);
    path.lineTo(to);
}

/// x + y (falling lines: x - y) is constant along a diagonal.
void addDiagonals(QPainterPath& path, const QRectF& r, bool rising)
{
    const double low = rising ? r.left() + r.top() : r.left() - r.bottom();
    const double high = rising ? r.right() + r.bottom() : r.right() - r.top();
    for (double c = onGrid(low); c < high; c += kHatchStep) {
        const double left = rising ? std::max(r.left(), c - r.bottom()) : std::max(r.left(), c + r.top());
        const double right = rising ? std::min(r.right(), c - r.top()) : std::min(r.right(), c + r.bottom());
        if (right > left)
            addLine(path, {left, rising ? c - left : left - c}, {right, rising ? c - right : right - c});
    }
}

} // namespace

void paintMark(QPainter& painter, const QRectF& rect, Mark mark, Pattern pattern, const Tokens& tokens)
{
    const QColor fill = tokens.mark(mark);
    painter.fillRect(rect, fill);
    if (pattern != Pattern::Solid && rect.width() >= 3 && rect.height() >= 3) {
        painter.save();
        painter.setClipRect(rect, Qt::IntersectClip);
        painter.setRenderHint(QPainter::Antialiasing);
        QColor ink = pattern == Pattern::Dots ? tokens.label(fill) : tokens.surface;
        ink.setAlphaF(pattern == Pattern::Dots ? 0.75f : 0.85f);
        painter.setPen(QPen(ink, pattern == Pattern::Dots ? 1.6 : 1.3, Qt::SolidLine, Qt::RoundCap));
        hatch(painter, rect, pattern);
        painter.restore();
    }
    if (tokens.edge(mark) != fill && rect.width() >= 3 && rect.height() >= 3) {
        painter.save();
        painter.setPen(QPen(tokens.edge(mark), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
        painter.restore();
    }
}

QBrush patternBrush(const QColor& ground, const QColor& ink, Pattern pattern, double pixelRatio)
{
    if (pattern == Pattern::Solid)
        return ground;
    const double ratio = std::max(1.0, std::round(pixelRatio));
    const int side = static_cast<int>(kHatchStep * ratio);
    QImage tile(side, side, QImage::Format_ARGB32_Premultiplied);
    tile.fill(ground);
    QPainter painter(&tile);
    painter.scale(ratio, ratio);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink, pattern == Pattern::Dots ? 1.6 : 1.1, Qt::SolidLine, Qt::RoundCap));
    hatch(painter, QRectF(-kHatchStep, -kHatchStep, 3 * kHatchStep, 3 * kHatchStep), pattern);
    painter.end();
    QBrush brush(tile);
    brush.setTransform(QTransform::fromScale(1 / ratio, 1 / ratio));
    return brush;
}

void addPatternLines(QPainterPath& path, const QRectF& r, Pattern pattern)
{
    const auto line = [&path](QPointF from, QPointF to) { addLine(path, from, to); };
    const auto diagonal = [&](bool rising) { addDiagonals(path, r, rising); };
    switch (pattern) {
    case Pattern::HatchForward:
        return diagonal(true);
    case Pattern::HatchBackward:
        return diagonal(false);
    case Pattern::HatchCross:
        diagonal(true);
        diagonal(false);
        break;
    case Pattern::HatchVertical:
        for (double x = onGrid(r.left()); x < r.right(); x += kHatchStep)
            line({x, r.top()}, {x, r.bottom()});
        break;
    case Pattern::HatchHorizontal:
        for (double y = r.top() + kHatchStep / 2; y < r.bottom(); y += kHatchStep)
            line({r.left(), y}, {r.right(), y});
        break;
    case Pattern::Dots:
        for (double y = r.top() + 3; y < r.bottom(); y += kHatchStep) {
            for (double x = onGrid(r.left()) + 1; x + 1 < r.right(); x += kHatchStep)
                line({x, y}, {x + 1, y});
        }
        break;
    case Pattern::Solid:
        break;
    }
}

// In one piece: one case for each shape, in a box that they share.
void paintSwatch(QPainter& painter, const QRectF& rect, const LegendEntry& entry, const Tokens& tokens)
{
    const double side = std::min({rect.width(), rect.height(), 10.0});
    QRectF box(0, 0, side, side);
    box.moveCenter(rect.center());
    painter.save();
    switch (entry.shape) {
    case LegendEntry::Shape::Box:
        paintMark(painter, box, entry.mark, entry.pattern, tokens);
        break;
    case LegendEntry::Shape::Line:
        painter.setPen(QPen(tokens.mark(entry.mark), 1.6));
        painter.drawLine(QPointF(box.left() - 1, box.center().y()), QPointF(box.right() + 1, box.center().y()));
        break;
    case LegendEntry::Shape::Dot:
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(tokens.mark(entry.mark));
        painter.drawEllipse(box.center(), 3.0, 3.0);
        break;
    case LegendEntry::Shape::Cross:
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(tokens.mark(entry.mark), 1.4));
        painter.drawLine(box.center() + QPointF(-2.5, -2.5), box.center() + QPointF(2.5, 2.5));
        painter.drawLine(box.center() + QPointF(-2.5, 2.5), box.center() + QPointF(2.5, -2.5));
        break;
    case LegendEntry::Shape::Ground: {
        painter.fillRect(box,
            patternBrush(tokens.sunken, tokens.mark(entry.mark), entry.pattern, painter.device()->devicePixelRatio()));
        painter.setPen(QPen(tokens.frame, 1));
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
        break;
    }
    case LegendEntry::Shape::Ring:
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(tokens.text, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(box.center(), 4.0, 4.0);
        break;
    }
    painter.restore();
}

} // namespace stratoplan::widgets
