// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/chart_export.h"

#include "widgets/charts/legend_row.h"
#include "widgets/charts/qcp.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr int kPadding = 12;
constexpr int kHeader = 24;

int legendHeight(const ChartParts& parts, int width)
{
    return parts.legend.entries().empty() ? 0 : parts.legend.heightForWidth(width) + 4;
}

void paintChart(const ChartParts& parts, QSize size, QPaintDevice& device, double scale, bool vector)
{
    const Tokens& t = parts.look;
    QCPPainter painter;
    if (!painter.begin(&device))
        return;
    painter.setMode(QCPPainter::pmVectorized, vector);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.scale(scale, scale);
    painter.fillRect(QRect(QPoint(), size), t.surface);
    const int width = size.width() - 2 * kPadding;
    const int plotHeight = size.height() - 2 * kPadding - kHeader - legendHeight(parts, width);
    painter.translate(kPadding, kPadding);
    painter.setFont(parts.titleFont);
    painter.setPen(t.text);
    painter.drawText(QRect(0, 0, width, kHeader - 4), Qt::AlignLeft | Qt::AlignVCenter, parts.title);
    painter.setFont(parts.font);
    painter.setPen(t.secondaryText);
    painter.drawText(QRect(0, 0, width, kHeader - 4), Qt::AlignRight | Qt::AlignVCenter, parts.note);
    painter.translate(0, kHeader);
    parts.plot.toPainter(&painter, width, plotHeight);
    painter.translate(0, plotHeight + 4);
    painter.setClipping(false);
    parts.legend.paint(painter, width, t);
    painter.end();
}

} // namespace

Picture chartPicture(const ChartParts& parts)
{
    const int width = std::max(parts.plot.width(), 200);
    const QSize size(
        width + 2 * kPadding, kHeader + std::max(parts.plot.height(), 120) + legendHeight(parts, width) + 2 * kPadding);
    return {size, parts.title, parts.description, [parts, size](QPaintDevice& device, double scale, bool vector) {
                paintChart(parts, size, device, scale, vector);
            }};
}

} // namespace stratoplan::widgets
