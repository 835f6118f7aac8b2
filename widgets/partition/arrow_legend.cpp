// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/arrow_legend.h"

#include "widgets/panels/panel_style.h"
#include "widgets/style/theme.h"

#include <QPainter>
#include <array>

namespace stratoplan::widgets {

namespace {
constexpr double kLegendLine = 22, kGapBehindLine = 6, kGapBetween = 18;
}

ArrowLegend::ArrowLegend(QWidget* parent)
    : QWidget(parent)
{
    setAccessibleName(tr("Solid arrows stay inside a domain, dashed ones cross domains; ranks in a dashed frame sum "
                         "up what they made"));
}

QSize ArrowLegend::sizeHint() const
{
    return {380, fontMetrics().height() + 4};
}

void ArrowLegend::paintEvent(QPaintEvent*)
{
    const Tokens& t = currentTokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(scaledFont(font(), 0.9));
    struct Entry {
        QString name;
        QColor ink;
        bool dashed, isArrow;
    };
    const std::array entries{Entry{tr("inside a domain"), t.accent, false, true},
        Entry{tr("across domains"), t.warn, true, true}, Entry{tr("Σ sum up together"), t.bad, true, false}};
    double x = 12;
    const double y = height() / 2.0;
    for (const Entry& entry : entries) {
        QPen pen(entry.ink, 1.6);
        if (entry.dashed)
            pen.setDashPattern({3, 2});
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        if (entry.isArrow)
            painter.drawLine(QPointF(x, y), QPointF(x + kLegendLine - 4, y));
        else
            painter.drawRect(QRectF(x + 3, y - 5, kLegendLine - 6, 10));
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.ink);
        if (entry.isArrow)
            painter.drawPolygon(
                QPolygonF{{{x + kLegendLine, y}, {x + kLegendLine - 7, y - 3.5}, {x + kLegendLine - 7, y + 3.5}}});
        painter.setPen(t.secondaryText);
        const double width = painter.fontMetrics().horizontalAdvance(entry.name);
        painter.drawText(QRectF(x + kLegendLine + kGapBehindLine, 0, width + 4, height()),
            Qt::AlignLeft | Qt::AlignVCenter, entry.name);
        x += kLegendLine + kGapBehindLine + width + kGapBetween;
    }
    if (const QString cells = tr("in a cell: I, W, O"); x + painter.fontMetrics().horizontalAdvance(cells) < width())
        painter.drawText(QRectF(x, 0, width() - x, height()), Qt::AlignLeft | Qt::AlignVCenter, cells);
}

} // namespace stratoplan::widgets
