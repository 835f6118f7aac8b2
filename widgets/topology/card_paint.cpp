// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/card_paint.h"

#include "widgets/topology/canvas_layout.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kSmallestSquare = 2.5; ///< below it, one block with the number says more

/// Outlines of the scale-up domains: runs of squares, drawn behind them.
void paintDomains(
    QPainter& painter, const QRectF& grid, const AcceleratorGrid& g, int count, int domain, const Tokens& t)
{
    const double pad = std::min(5.0, g.gap + 2);
    painter.setBrush(Qt::NoBrush);
    QPen pen(t.frame, 1);
    if (domain > count) {
        // The domain goes on in the next node: rails to both sides instead of a closed box.
        painter.setPen(pen);
        const QRectF box = grid.adjusted(-14, -pad, 14, pad);
        painter.drawLine(box.topLeft(), box.topRight());
        painter.drawLine(box.bottomLeft(), box.bottomRight());
        return;
    }
    painter.setPen(pen);
    if (domain == count) {
        painter.drawRoundedRect(grid.adjusted(-pad, -pad, pad, pad), 4, 4);
        return;
    }
    const double step = g.side + g.gap;
    if (domain < 2 || g.columns % domain != 0)
        return;
    for (int first = 0; first < count; first += domain) {
        const int row = first / g.columns;
        const int column = first % g.columns;
        const QRectF run(grid.left() + column * step, grid.top() + row * step, domain * step - g.gap, g.side);
        const double margin = std::max(1.0, g.gap / 2 - 0.5);
        painter.drawRoundedRect(run.adjusted(-margin, -margin, margin, margin), 3, 3);
    }
}

} // namespace

QFont cardFont(CardText role)
{
    QFont font = QApplication::font();
    const double base = font.pointSizeF() > 0 ? font.pointSizeF() : 10;
    switch (role) {
    case CardText::Name:
        font.setPointSizeF(base);
        font.setWeight(QFont::DemiBold);
        break;
    case CardText::Caption:
        font.setPointSizeF(base * 0.85);
        break;
    case CardText::Badge:
        font.setPointSizeF(base * 0.85);
        font.setWeight(QFont::DemiBold);
        break;
    }
    return font;
}

void paintAccelerators(
    QPainter& painter, const QRectF& area, int count, int domain, const QColor& colour, const Tokens& t)
{
    if (count <= 0)
        return;
    const AcceleratorGrid g = acceleratorGrid(count, area.width(), area.height());
    const double width = g.columns * g.side + (g.columns - 1) * g.gap;
    const double height = g.rows * g.side + (g.rows - 1) * g.gap;
    const QRectF grid(area.center().x() - width / 2, area.center().y() - height / 2, width, height);
    if (domain > 0)
        paintDomains(painter, grid, g, count, domain, t);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    if (g.side < kSmallestSquare) {
        painter.drawRoundedRect(area, 4, 4);
        drawElided(painter, area, QLocale(QLocale::English).toString(count), cardFont(CardText::Name), t.label(colour));
        return;
    }
    const double radius = std::min(2.5, g.side / 5);
    for (int i = 0; i < count; ++i) {
        const double x = grid.left() + (i % g.columns) * (g.side + g.gap);
        const double y = grid.top() + (i / g.columns) * (g.side + g.gap);
        painter.drawRoundedRect(QRectF(x, y, g.side, g.side), radius, radius);
    }
}

void paintPorts(QPainter& painter, const QRectF& area, double use, const Tokens& t)
{
    constexpr int kPorts = 12;
    constexpr double kSide = 6;
    const double step = area.width() / kPorts;
    // A port in use is never shown as none, a free one never as full.
    int used = static_cast<int>(std::lround(use * kPorts));
    if (use > 0 && used == 0)
        used = 1;
    if (use < 1 && used == kPorts)
        used = kPorts - 1;
    const QColor filled = use > 1 ? t.bad : t.secondaryText;
    for (int i = 0; i < kPorts; ++i) {
        const QRectF port(area.left() + (i + 0.5) * step - kSide / 2, area.center().y() - kSide / 2, kSide, kSide);
        const bool on = i < used;
        painter.setPen(on ? QPen(Qt::NoPen) : QPen(t.frame, 1));
        painter.setBrush(on ? QBrush(filled) : QBrush(Qt::NoBrush));
        painter.drawRoundedRect(on ? port : port.adjusted(0.5, 0.5, -0.5, -0.5), 1.5, 1.5);
    }
}

void drawElided(QPainter& painter, const QRectF& rect, const QString& text, const QFont& font, const QColor& colour)
{
    // A little smaller is better than cut.
    QFont fitting = font;
    const double width = QFontMetricsF(font).horizontalAdvance(text);
    if (width > rect.width())
        fitting.setPointSizeF(font.pointSizeF() * std::max(0.82, rect.width() / width * 0.99));
    painter.setFont(fitting);
    painter.setPen(colour);
    painter.drawText(rect, Qt::AlignCenter, QFontMetricsF(fitting).elidedText(text, Qt::ElideRight, rect.width()));
}

} // namespace stratoplan::widgets
