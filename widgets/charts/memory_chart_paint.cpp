// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/memory_chart.h"

#include "widgets/charts/patterns.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

/// The first of both texts that is at most `width` pixels wide; empty when neither is.
QString fitting(const QFontMetricsF& metrics, const QString& whole, const QString& brief, double width)
{
    for (const QString& each : {whole, brief}) {
        if (metrics.horizontalAdvance(each) <= width)
            return each;
    }
    return {};
}

/// `r` moved so that it lies in `area`; empty where it is too high for that.
QRectF inside(QRectF r, const QRectF& area)
{
    if (r.height() > area.height() || r.width() > area.width())
        return {};
    r.moveLeft(std::clamp(r.left(), area.left(), area.right() - r.width()));
    r.moveTop(std::clamp(r.top(), area.top(), area.bottom() - r.height()));
    return r;
}
} // namespace

QRectF MemoryChart::labelArea() const
{
    return QRectF(plot().axisRect()->rect()).adjusted(2, 0, -2, 0);
}

QString MemoryChart::capacityText() const
{
    return tr("%1 capacity").arg(text(m_view->capacity));
}

QString MemoryChart::peakText() const
{
    return tr("peak %1").arg(text(m_view->peak));
}

MemoryChart::Label MemoryChart::capacityLabel() const
{
    if (!(m_view->capacity.value() > 0))
        return {};
    const QRectF area = labelArea();
    const QFontMetricsF metrics(plotFont());
    const QString shown = fitting(metrics, capacityText(), text(m_view->capacity), area.width() - 4);
    if (shown.isEmpty())
        return {};
    const double width = metrics.horizontalAdvance(shown) + 4;
    const double y = plot().yAxis->coordToPixel(m_view->capacity.value());
    // On the side away from the peak, whose own label may come near.
    const bool right = m_view->peakStage * 2 < static_cast<int>(m_view->stacks.size());
    const QRectF r(right ? area.right() - width : area.left(), y - metrics.height() - 2, width, metrics.height());
    // Under its line where nothing fits above.
    return {shown, inside(r.top() < area.top() ? r.translated(0, metrics.height() + 5) : r, area)};
}

MemoryChart::Label MemoryChart::peakLabel(const QRectF& capacity) const
{
    const QRectF area = labelArea();
    const QFontMetricsF metrics(plotFont());
    const QString shown = fitting(metrics, peakText(), text(m_view->peak), area.width() - 6);
    if (shown.isEmpty())
        return {};
    const QRectF column = columnRect(static_cast<std::size_t>(m_view->peakStage));
    const double width = metrics.horizontalAdvance(shown) + 6;
    const QRectF wanted(
        column.center().x() - width / 2, column.top() - metrics.height() - 3, width, metrics.height() + 1);
    const QRectF taken = capacity.adjusted(-4, 0, 4, 0);
    const double line = plot().yAxis->coordToPixel(m_view->capacity.value());
    const QRectF lineBand(area.left(), line - 1, area.width(), 3);
    const double overLabel = capacity.top() - wanted.height() - 2;
    const double underLine = line + 3;
    const bool beyond = m_view->peak > m_view->capacity; // then what is under the line is all columns
    // Over its column; else as near as the line of the capacity and its label let it. Rather across the line than
    // nowhere.
    for (const bool acrossLine : {false, true}) {
        for (const double top : {wanted.top(), beyond ? overLabel : underLine, line - wanted.height() - 2,
                 beyond ? underLine : overLabel, capacity.bottom() + 2}) {
            QRectF r = wanted;
            r.moveTop(top);
            r = inside(r, area);
            if (!r.isEmpty() && !r.intersects(taken) && (acrossLine || !r.intersects(lineBand)))
                return {shown, r};
        }
    }
    return {};
}

MemoryChart::Labels MemoryChart::labels() const
{
    if (!m_view)
        return {};
    const Label capacity = capacityLabel();
    return {capacity, peakLabel(capacity.rect)};
}

void MemoryChart::paintColumns(QPainter& painter) const
{
    if (m_overTime)
        return m_curves.paint(painter, look(), plotFont());
    if (!m_view)
        return;
    for (std::size_t i = 0; i < m_view->stacks.size(); ++i) {
        const Stack& stack = m_view->stacks[i];
        for (std::size_t j = 0; j < stack.segments.size(); ++j) {
            QRectF r = segmentRect({i, j});
            if (r.height() < 0.5)
                continue;
            if (r.height() > 3)
                r.setTop(r.top() + 1); // a line of background between neighbours
            paintMark(painter, r, stack.segments[j].mark, stack.segments[j].pattern, look());
        }
    }
}

void MemoryChart::paintCapacity(QPainter& painter) const
{
    if (!m_view || m_overTime)
        return;
    const Tokens& t = look();
    painter.setFont(plotFont());
    const QRectF plotRect(plot().axisRect()->rect());
    const Labels on = labels();
    if (m_view->capacity.value() > 0) {
        const double y = std::round(plot().yAxis->coordToPixel(m_view->capacity.value()));
        // What lies above the line does not fit: hatched in the colour of things that are wrong.
        for (std::size_t i = 0; i < m_view->stacks.size(); ++i) {
            if (!(m_view->stacks[i].total > m_view->capacity.value()))
                continue;
            const QRectF column = columnRect(i);
            painter.setPen(QPen(t.bad, 1.5));
            painter.setBrush(QBrush(t.bad, Qt::BDiagPattern));
            painter.drawRect(QRectF(column.left(), column.top(), column.width() - 1, std::max(0.0, y - column.top())));
        }
        painter.fillRect(QRectF(plotRect.left(), y, plotRect.width() + 1, 1.5), t.mark(Mark::Capacity));
        QColor veil = t.surface;
        veil.setAlphaF(0.85f);
        painter.fillRect(on.capacity.rect, veil); // columns that reach beyond must not fray the letters
        painter.setPen(t.mark(Mark::Capacity));
        painter.drawText(on.capacity.rect, Qt::AlignCenter, on.capacity.text);
    }
    painter.fillRect(on.peak.rect, t.surface);
    painter.setPen(m_view->fits ? t.text : t.bad);
    painter.drawText(on.peak.rect, Qt::AlignCenter, on.peak.text);
}

void MemoryChart::paintHover(QPainter& painter) const
{
    if (m_overTime)
        return m_curves.paintHover(painter, look(), m_curveHover ? m_curveHover->stage : linkedStage(), m_curveHover);
    if (!m_view)
        return;
    if (linkedStage() >= 0 && static_cast<std::size_t>(linkedStage()) < m_view->stacks.size()) {
        painter.setPen(QPen(look().accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(columnRect(static_cast<std::size_t>(linkedStage())).adjusted(-1.5, -1.5, 1.5, 1.5));
    }
    if (!m_hover)
        return;
    painter.setPen(QPen(look().text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(segmentRect(*m_hover).adjusted(0.5, 0.5, -0.5, -0.5));
}

} // namespace stratoplan::widgets
