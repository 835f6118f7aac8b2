// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/memory_curves.h"

#include "core/narration/estimates.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

namespace {
constexpr double kReach = 12; // pixels from which a curve is pointed at
constexpr double kPeakRadius = 4; // pixels
} // namespace

MemoryCurves::MemoryCurves(QCustomPlot& plot)
    : m_plot(plot)
{
}

void MemoryCurves::set(std::shared_ptr<const MemoryCurveView> view)
{
    m_view = std::move(view);
}

QPointF MemoryCurves::pixelOf(Hit hit) const
{
    const Bytes held = heldAt(m_view->timeline, hit.stage, Seconds(hit.seconds));
    return {m_plot.xAxis->coordToPixel(hit.seconds), m_plot.yAxis->coordToPixel(held.value())};
}

std::optional<MemoryCurves::Hit> MemoryCurves::hitAt(QPointF at) const
{
    if (!m_view || !m_plot.axisRect()->rect().contains(at.toPoint()))
        return std::nullopt;
    const double seconds = m_plot.xAxis->pixelToCoord(at.x());
    if (seconds < 0 || seconds > m_view->timeline.makespan.value())
        return std::nullopt;
    // The peak is worth a wide berth: its pass may be a fraction of a pixel long.
    if (QLineF(at, pixelOf(peak())).length() <= kReach / 2)
        return peak();
    std::optional<Hit> best;
    double nearest = kReach;
    const double pixel = std::abs(m_plot.xAxis->pixelToCoord(at.x() + 1) - seconds);
    for (const int stage : m_view->drawn) {
        // What the pixel shows of the curve, not only its very middle.
        for (const QPointF& corner : curveCorners(m_view->timeline.stages[static_cast<std::size_t>(stage)].points,
                 m_view->timeline.makespan, {seconds - pixel / 2, seconds + pixel / 2}, 1)) {
            const double distance = std::abs(m_plot.yAxis->coordToPixel(corner.y()) - at.y());
            if (distance < nearest) {
                nearest = distance;
                best = Hit{stage, seconds};
            }
        }
    }
    return best;
}

MemoryCurves::Hit MemoryCurves::peak() const
{
    const estimate::MemoryPeak& peak = m_view->timeline.peak();
    return {peak.stage, peak.at.value()};
}

MemoryCurves::Hit MemoryCurves::stepped(Hit from, int direction) const
{
    const std::vector<estimate::MemoryPoint>& points =
        m_view->timeline.stages[static_cast<std::size_t>(from.stage)].points;
    const auto after = [](double t, const estimate::MemoryPoint& p) { return t < p.at.value(); };
    auto point = std::upper_bound(points.begin(), points.end(), from.seconds, after);
    if (direction > 0)
        return point == points.end() ? from : Hit{from.stage, point->at.value()};
    const auto index = point - points.begin(); // of the step that holds, plus one
    return {from.stage, points[static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, index - 2))].at.value()};
}

std::vector<MemoryCurves::Label> MemoryCurves::capacityLabels(const QFont& font) const
{
    std::vector<Label> labels;
    if (!m_view)
        return labels;
    const QRectF ofPeak = labelOf(m_view->capacity, font).rect; // which others give way to
    for (const Bytes capacity : m_view->capacities) {
        const Label label = labelOf(capacity, font);
        const auto covers = [&label](const Label& other) { return other.rect.intersects(label.rect); };
        const bool isFree = capacity == m_view->capacity
            || (!label.rect.intersects(ofPeak) && std::none_of(labels.begin(), labels.end(), covers));
        labels.push_back(isFree ? label : Label{});
    }
    return labels;
}

MemoryCurves::Label MemoryCurves::labelOf(Bytes capacity, const QFont& font) const
{
    const QRectF area(m_plot.axisRect()->rect());
    const QFontMetricsF metrics(font);
    const QString shown = MemoryChart::tr("%1 capacity").arg(text(capacity));
    const double width = metrics.horizontalAdvance(shown) + 4;
    if (width > area.width())
        return {};
    const double y = m_plot.yAxis->coordToPixel(capacity.value());
    QRectF r(area.right() - width - 2, y - metrics.height() - 2, width, metrics.height());
    if (r.top() < area.top())
        r.translate(0, metrics.height() + 5);
    return area.contains(r) ? Label{shown, r} : Label{};
}

MemoryCurves::Label MemoryCurves::peakLabel(const QFont& font) const
{
    if (!m_view)
        return {};
    const QRectF area(m_plot.axisRect()->rect());
    const QPointF at = pixelOf(peak());
    if (!area.adjusted(-1, -1, 1, 1).contains(at))
        return {};
    const QFontMetricsF metrics(font);
    const estimate::MemoryPeak& peak = m_view->timeline.peak();
    const std::vector<Label> taken = capacityLabels(font);
    const double line = m_plot.yAxis->coordToPixel(m_view->capacity.value());
    const auto isFree = [&](const QRectF& r) {
        return std::none_of(taken.begin(), taken.end(), [&r](const Label& label) { return r.intersects(label.rect); })
            && std::none_of(m_view->capacities.begin(), m_view->capacities.end(), [&](Bytes capacity) {
                   const double y = m_plot.yAxis->coordToPixel(capacity.value());
                   return r.top() < y + 2 && r.bottom() > y - 1;
               });
    };
    for (const QString& shown :
        {MemoryChart::tr("peak %1, stage %2, %3").arg(text(peak.bytes)).arg(peak.stage).arg(text(peak.at)),
            MemoryChart::tr("peak %1, stage %2").arg(text(peak.bytes)).arg(peak.stage), text(peak.bytes)}) {
        const double width = metrics.horizontalAdvance(shown) + 6;
        if (width > area.width())
            continue;
        QRectF r(at.x() - width / 2, 0, width, metrics.height() + 1);
        r.moveLeft(std::clamp(r.left(), area.left(), area.right() - width));
        for (const double top :
            {at.y() - kPeakRadius - 3 - r.height(), line - r.height() - 2, at.y() + kPeakRadius + 3}) {
            r.moveTop(top);
            if (area.contains(r) && isFree(r))
                return {shown, r};
        }
    }
    return {};
}

void MemoryCurves::paintCurve(QPainter& painter, int stage, const QColor& colour, double width) const
{
    const QCPRange shown = m_plot.xAxis->range();
    const QRectF area(m_plot.axisRect()->rect());
    QPolygonF line;
    for (const QPointF& corner : curveCorners(m_view->timeline.stages[static_cast<std::size_t>(stage)].points,
             m_view->timeline.makespan, {std::max(0.0, shown.lower), shown.upper}, area.width()))
        line << QPointF(m_plot.xAxis->coordToPixel(corner.x()), m_plot.yAxis->coordToPixel(corner.y()));
    painter.setPen(QPen(colour, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
}

void MemoryCurves::paintCapacity(QPainter& painter, const Tokens& t, const QFont& font) const
{
    const QRectF area(m_plot.axisRect()->rect());
    for (const Bytes capacity : m_view->capacities) {
        const double y = std::round(m_plot.yAxis->coordToPixel(capacity.value()));
        if (y >= area.top() && y <= area.bottom())
            painter.fillRect(QRectF(area.left(), y, area.width() + 1, 1.5), t.mark(Mark::Capacity));
    }
    QColor veil = t.surface;
    veil.setAlphaF(0.85f);
    painter.setPen(t.mark(Mark::Capacity));
    for (const Label& label : capacityLabels(font)) {
        painter.fillRect(label.rect, veil);
        painter.drawText(label.rect, Qt::AlignCenter, label.text);
    }
}

void MemoryCurves::paint(QPainter& painter, const Tokens& t, const QFont& font) const
{
    if (!m_view)
        return;
    painter.setFont(font);
    const int most = m_view->timeline.peakStage;
    for (const int stage : m_view->drawn) {
        if (stage != most)
            paintCurve(painter, stage, t.mark(Mark::Reserve), 1);
    }
    paintCurve(painter, most, t.mark(Mark::Activations), 1.4);
    paintCapacity(painter, t, font);
    const QPointF at = pixelOf(peak());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.surface, 1.5));
    painter.setBrush(m_view->fits() ? t.text : t.bad);
    painter.drawEllipse(at, kPeakRadius, kPeakRadius);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const Label label = peakLabel(font);
    painter.fillRect(label.rect, t.surface);
    painter.setPen(m_view->fits() ? t.text : t.bad);
    painter.drawText(label.rect, Qt::AlignCenter, label.text);
}

void MemoryCurves::paintHover(QPainter& painter, const Tokens& t, int stage, std::optional<Hit> hit) const
{
    if (!m_view)
        return;
    if (stage >= 0 && static_cast<std::size_t>(stage) < m_view->timeline.stages.size())
        paintCurve(painter, stage, t.accent, 1.6);
    if (!hit)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.text, 1.5));
    painter.setBrush(t.surface);
    painter.drawEllipse(pixelOf(*hit), kPeakRadius, kPeakRadius);
}

QString MemoryCurves::toolTipOf(Hit hit) const
{
    const estimate::MemoryPeak& peak = m_view->timeline.stages[static_cast<std::size_t>(hit.stage)].peak;
    const Bytes held = heldAt(m_view->timeline, hit.stage, Seconds(hit.seconds));
    return MemoryChart::tr("<div style='max-width:320px'><b>%1</b> · stage %2 at %3<br>of %4<br><br>It first holds "
                           "most, %5, %6 (%7).</div>")
        .arg(text(held))
        .arg(hit.stage)
        .arg(text(Seconds(hit.seconds)), text(m_view->capacityOf(hit.stage)), text(peak.bytes),
            QString::fromStdString(narration::describeMoment(peak, m_view->chunks)), text(peak.at));
}

ChartTable MemoryCurves::table() const
{
    ChartTable result;
    result.columns = {MemoryChart::tr("Stage"), MemoryChart::tr("peak, GiB"), MemoryChart::tr("reached, s"),
        MemoryChart::tr("when"), MemoryChart::tr("micro-batches in flight"), MemoryChart::tr("always held, GiB")};
    if (!m_view)
        return result;
    for (const estimate::StageMemoryCurve& curve : m_view->timeline.stages) {
        result.rows << QStringList{QString::number(curve.peak.stage), cell(curve.peak.bytes.value() / kGiB),
            cell(curve.peak.at.value()), QString::fromStdString(narration::describeMoment(curve.peak, m_view->chunks)),
            cell(curve.peak.inFlight), cell(curve.points.back().bytes.value() / kGiB)};
    }
    return result;
}

QString MemoryCurves::description() const
{
    const estimate::MemoryPeak& peak = m_view->timeline.peak();
    return MemoryChart::tr("Memory over the step of %1: peak %2 of %3 at %4; %5.")
        .arg(text(m_view->timeline.makespan), text(peak.bytes), text(m_view->capacity),
            peakInstant(peak, m_view->chunks),
            m_view->fits() ? MemoryChart::tr("it fits") : MemoryChart::tr("it does not fit"));
}

} // namespace stratoplan::widgets
