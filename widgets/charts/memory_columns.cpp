// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/memory_columns.h"

#include "widgets/charts/patterns.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kBarThickness = 0.74;
constexpr double kWidestColumn = 56; // pixels

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

QRectF MemoryColumns::columnRect(std::size_t stage) const
{
    const double middle = m_plot.xAxis->coordToPixel(static_cast<double>(stage));
    const double column = m_plot.xAxis->coordToPixel(1) - m_plot.xAxis->coordToPixel(0);
    const double width =
        std::max(std::round(std::min(column * (column > 6 ? kBarThickness : 1.0), kWidestColumn)), 1.0);
    const double top = m_plot.yAxis->coordToPixel(m_view.stacks[stage].total);
    return {std::round(middle - width / 2), top, width, m_plot.yAxis->coordToPixel(0) - top};
}

QRectF MemoryColumns::segmentRect(Hit hit) const
{
    if (hit.stage >= m_view.stacks.size() || hit.segment >= m_view.stacks[hit.stage].segments.size())
        return {};
    const Segment& s = m_view.stacks[hit.stage].segments[hit.segment];
    const QRectF column = columnRect(hit.stage);
    const double bottom = std::round(m_plot.yAxis->coordToPixel(s.start));
    const double top = std::round(m_plot.yAxis->coordToPixel(s.start + s.value));
    return {column.left(), top, column.width(), bottom - top};
}

std::optional<MemoryColumns::Hit> MemoryColumns::segmentAt(QPointF at) const
{
    if (!m_plot.axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    for (std::size_t i = 0; i < m_view.stacks.size(); ++i) {
        for (std::size_t j = 0; j < m_view.stacks[i].segments.size(); ++j) {
            if (segmentRect({i, j}).contains(at))
                return Hit{i, j};
        }
    }
    return std::nullopt;
}

QString MemoryColumns::toolTipOf(Hit hit) const
{
    const Stack& stack = m_view.stacks[hit.stage];
    const Segment& s = stack.segments[hit.segment];
    const QString place = m_view.compares ? tr("%1, stage %2").arg(stack.label.toHtmlEscaped()).arg(stack.firstStage)
                                          : tr("stage %1").arg(stack.label);
    return tr("<div style='max-width:320px'><b>%1</b> · %2<br>%3 of %4 on this stage<br><br>%5</div>")
        .arg(s.name, place, text(Bytes(s.value)), text(Bytes(stack.total)), s.explanation);
}

ChartTable MemoryColumns::table() const
{
    ChartTable result;
    result.columns = {m_view.compares ? tr("Plan, its fullest stage") : tr("Stage")};
    for (const LegendEntry& kind : m_view.legend)
        result.columns << tr("%1, GiB").arg(kind.name);
    result.columns << tr("total, GiB") << tr("of capacity, %");
    for (std::size_t i = 0; i < m_view.stacks.size(); ++i) {
        const Stack& stack = m_view.stacks[i];
        const Bytes capacity = m_view.capacities[i];
        QStringList row{stack.label};
        for (const LegendEntry& kind : m_view.legend) {
            double value = 0;
            for (const Segment& s : stack.segments)
                value += s.mark == kind.mark ? s.value : 0;
            row << cell(value / kGiB);
        }
        row << cell(stack.total / kGiB)
            << (capacity.value() > 0 ? cell(100 * stack.total / capacity.value()) : QString());
        result.rows << row;
    }
    return result;
}

QRectF MemoryColumns::labelArea() const
{
    return QRectF(m_plot.axisRect()->rect()).adjusted(2, 0, -2, 0);
}

QString MemoryColumns::capacityText() const
{
    if (m_view.areCapacitiesAlike())
        return tr("%1 capacity").arg(text(m_view.capacity));
    const auto [least, most] = std::ranges::minmax(m_view.capacities);
    return tr("%1 to %2 capacity").arg(text(least), text(most));
}

QString MemoryColumns::peakText() const
{
    return tr("peak %1").arg(text(m_view.peak));
}

MemoryColumns::Label MemoryColumns::capacityLabel() const
{
    if (!(m_view.capacity.value() > 0))
        return {};
    const QRectF area = labelArea();
    const QFontMetricsF metrics(m_font);
    const QString shown = fitting(metrics, capacityText(), text(m_view.capacity), area.width() - 4);
    if (shown.isEmpty())
        return {};
    const double width = metrics.horizontalAdvance(shown) + 4;
    const double y = m_plot.yAxis->coordToPixel(m_view.capacity.value());
    // On the side away from the peak, whose own label may come near.
    const bool right = m_view.peakStage * 2 < static_cast<int>(m_view.stacks.size());
    const QRectF r(right ? area.right() - width : area.left(), y - metrics.height() - 2, width, metrics.height());
    // Under its line where nothing fits above.
    return {shown, inside(r.top() < area.top() ? r.translated(0, metrics.height() + 5) : r, area)};
}

MemoryColumns::Label MemoryColumns::peakLabel(const QRectF& capacity) const
{
    const QRectF area = labelArea();
    const QFontMetricsF metrics(m_font);
    const QString shown = fitting(metrics, peakText(), text(m_view.peak), area.width() - 6);
    if (shown.isEmpty())
        return {};
    const QRectF column = columnRect(static_cast<std::size_t>(m_view.peakStage));
    const double width = metrics.horizontalAdvance(shown) + 6;
    const QRectF wanted(
        column.center().x() - width / 2, column.top() - metrics.height() - 3, width, metrics.height() + 1);
    const QRectF taken = capacity.adjusted(-4, 0, 4, 0);
    const double line = m_plot.yAxis->coordToPixel(m_view.capacity.value());
    const QRectF lineBand(area.left(), line - 1, area.width(), 3);
    const double overLabel = capacity.top() - wanted.height() - 2;
    const double underLine = line + 3;
    const bool beyond = m_view.peak > m_view.capacity; // then what is under the line is all columns
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

MemoryColumns::Labels MemoryColumns::labels() const
{
    const Label capacity = capacityLabel();
    return {capacity, peakLabel(capacity.rect)};
}

void MemoryColumns::paint(QPainter& painter) const
{
    for (std::size_t i = 0; i < m_view.stacks.size(); ++i) {
        const Stack& stack = m_view.stacks[i];
        for (std::size_t j = 0; j < stack.segments.size(); ++j) {
            QRectF r = segmentRect({i, j});
            if (r.height() < 0.5)
                continue;
            if (r.height() > 3)
                r.setTop(r.top() + 1); // a line of background between neighbours
            paintMark(painter, r, stack.segments[j].mark, stack.segments[j].pattern, m_look);
        }
    }
}

void MemoryColumns::paintCapacity(QPainter& painter) const
{
    const Tokens& t = m_look;
    painter.setFont(m_font);
    const QRectF plotRect(m_plot.axisRect()->rect());
    const Labels on = labels();
    if (m_view.capacity.value() > 0) {
        // What lies above the line does not fit: hatched in the colour of things that are wrong.
        for (std::size_t i = 0; i < m_view.stacks.size(); ++i) {
            if (!(m_view.stacks[i].total > m_view.capacities[i].value()))
                continue;
            const double y = std::round(m_plot.yAxis->coordToPixel(m_view.capacities[i].value()));
            const QRectF column = columnRect(i);
            painter.setPen(QPen(t.bad, 1.5));
            painter.setBrush(QBrush(t.bad, Qt::BDiagPattern));
            painter.drawRect(QRectF(column.left(), column.top(), column.width() - 1, std::max(0.0, y - column.top())));
        }
        paintCapacityLine(painter, plotRect);
        QColor veil = t.surface;
        veil.setAlphaF(0.85f);
        painter.fillRect(on.capacity.rect, veil); // columns that reach beyond must not fray the letters
        painter.setPen(t.mark(Mark::Capacity));
        painter.drawText(on.capacity.rect, Qt::AlignCenter, on.capacity.text);
    }
    if (m_view.compares)
        return paintRemarks(painter);
    painter.fillRect(on.peak.rect, t.surface);
    painter.setPen(m_view.fits ? t.text : t.bad);
    painter.drawText(on.peak.rect, Qt::AlignCenter, on.peak.text);
}

/// Above each column, in as many lines as fit side by side.
void MemoryColumns::paintRemarks(QPainter& painter) const
{
    const QFontMetricsF metrics(m_font);
    const double room = std::abs(m_plot.xAxis->coordToPixel(1) - m_plot.xAxis->coordToPixel(0)) - 4;
    for (std::size_t i = 0; i < m_view.stacks.size(); ++i) {
        const QRectF column = columnRect(i);
        QStringList lines = m_view.stacks[i].remark.split(QStringLiteral("  "));
        double bottom = column.top() - 2;
        const double line = m_plot.yAxis->coordToPixel(m_view.capacities[i].value());
        const double height = metrics.height() * double(lines.size());
        if (bottom > line && bottom - height < line + 2)
            bottom = line - metrics.height() - 4; // above the line and its label
        for (auto each = lines.crbegin(); each != lines.crend(); ++each, bottom -= metrics.height()) {
            const QString shown = metrics.elidedText(*each, Qt::ElideRight, room);
            const QRectF place(column.center().x() - room / 2, bottom - metrics.height(), room, metrics.height());
            painter.setPen(m_view.stacks[i].total > m_view.capacities[i].value() ? m_look.bad : m_look.text);
            painter.drawText(place, Qt::AlignCenter, shown);
        }
    }
}

/// Across all, or of each stage where they are unlike.
void MemoryColumns::paintCapacityLine(QPainter& painter, const QRectF& plotRect) const
{
    const QColor colour = m_look.mark(Mark::Capacity);
    const auto line = [&](double left, double right, Bytes capacity) {
        const double y = std::round(m_plot.yAxis->coordToPixel(capacity.value()));
        painter.fillRect(QRectF(left, y, right - left, 1.5), colour);
    };
    if (m_view.areCapacitiesAlike())
        return line(plotRect.left(), plotRect.right() + 1, m_view.capacity);
    for (std::size_t i = 0; i < m_view.capacities.size(); ++i)
        line(std::max(plotRect.left(), m_plot.xAxis->coordToPixel(double(i) - 0.5)),
            std::min(plotRect.right() + 1, m_plot.xAxis->coordToPixel(double(i) + 0.5)), m_view.capacities[i]);
}

void MemoryColumns::paintHover(QPainter& painter, int stage, std::optional<Hit> hover) const
{
    if (stage >= 0 && static_cast<std::size_t>(stage) < m_view.stacks.size()) {
        painter.setPen(QPen(m_look.accent, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(columnRect(static_cast<std::size_t>(stage)).adjusted(-1.5, -1.5, 1.5, 1.5));
    }
    if (!hover)
        return;
    painter.setPen(QPen(m_look.text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(segmentRect(*hover).adjusted(0.5, 0.5, -0.5, -0.5));
}

} // namespace stratoplan::widgets
