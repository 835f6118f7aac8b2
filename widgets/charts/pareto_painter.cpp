// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pareto_painter.h"

#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan::widgets {

namespace {

constexpr double kFrontRadius = 3;
constexpr double kRingRadius = 6.5;
constexpr double kApart = 8; // front points closer than this are drawn without an outline
constexpr double kWidestLabel = 0.62; // of the plot

QRectF around(QPointF centre, double radius)
{
    return {centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius};
}

} // namespace

QPointF ParetoPainter::pixel(double x, double y) const
{
    return {m_parts.plot.xAxis->coordToPixel(x), m_parts.plot.yAxis->coordToPixel(y)};
}

double ParetoPainter::capacityPixel() const
{
    const bool shown = m_parts.view.capacity.value() > 0 && m_parts.hasCapacityLine;
    return shown ? m_parts.plot.xAxis->coordToPixel(m_parts.view.capacity.value())
                 : std::numeric_limits<double>::quiet_NaN();
}

void ParetoPainter::addLabel(std::vector<ParetoLabel>& labels, std::vector<QRectF>& obstacles, QPointF anchor,
    const QStringList& names, double gap, bool strong) const
{
    const QRectF bounds = QRectF(m_parts.plot.axisRect()->rect()).adjusted(3, 3, -3, -3);
    if (!bounds.contains(anchor))
        return;
    QFont font = m_parts.font;
    font.setWeight(strong ? QFont::DemiBold : QFont::Normal);
    const QFontMetricsF metrics(font);
    // On its own side of the capacity line, and in the longest form that leaves room for the points.
    QRectF side = bounds;
    const double capacity = capacityPixel();
    if (capacity > bounds.left() && capacity < bounds.right())
        anchor.x() <= capacity ? side.setRight(capacity - 3) : side.setLeft(capacity + 5);
    const double widest = std::min(kWidestLabel * bounds.width(), side.width() - 8);
    const auto fitting = std::find_if(
        names.begin(), names.end(), [&](const QString& name) { return metrics.horizontalAdvance(name) <= widest; });
    const QString name = fitting == names.end() ? names.last() : *fitting;
    const QSizeF size(metrics.horizontalAdvance(name) + 6, metrics.height());
    const QRectF rect = placeLabel(anchor, size, side.width() >= size.width() ? side : bounds, obstacles, gap);
    const bool covered =
        std::any_of(obstacles.begin(), obstacles.end(), [&](const QRectF& o) { return o.intersects(rect); });
    if (covered && !strong)
        return; // a label of the front that has no room is left out
    labels.push_back({rect, name, strong});
    obstacles.push_back(rect);
}

void ParetoPainter::addCapacityLabel(std::vector<ParetoLabel>& labels, std::vector<QRectF>& obstacles) const
{
    const QRectF bounds = QRectF(m_parts.plot.axisRect()->rect()).adjusted(3, 3, -3, -3);
    const double at = capacityPixel();
    if (!(at >= bounds.left() && at <= bounds.right()))
        return;
    const QFontMetricsF metrics(m_parts.font);
    const QString limit = tr("%1 capacity").arg(text(m_parts.view.capacity));
    const QSizeF size(metrics.horizontalAdvance(limit) + 4, metrics.height());
    QRectF rect = placeBesideLine(at, size, bounds, obstacles);
    if (rect.isEmpty()) {
        // Rather over points of the front than nowhere; over this plan and its name never.
        std::vector<QRectF> vital;
        if (m_parts.current)
            vital.push_back(around(pixel(m_parts.current->x, m_parts.current->y), kRingRadius + 1));
        for (const ParetoLabel& label : labels)
            vital.push_back(label.rect);
        rect = placeBesideLine(at, size, bounds, vital);
    }
    if (rect.isEmpty())
        return;
    labels.push_back({rect, limit, false});
    obstacles.push_back(rect);
}

std::vector<ParetoLabel> ParetoPainter::labels() const
{
    std::vector<ParetoLabel> result;
    const QRectF bounds = QRectF(m_parts.plot.axisRect()->rect()).adjusted(3, 3, -3, -3);
    std::vector<QRectF> obstacles;
    for (const std::size_t i : m_parts.view.front)
        obstacles.push_back(around(pixelOf(m_parts.view.points[i]), kFrontRadius + 2));
    if (m_parts.current)
        obstacles.push_back(
            around(pixel(m_parts.current->x, m_parts.current->y), kRingRadius + 1)); // no label hides it
    for (const Pin& pin : m_parts.pins)
        obstacles.push_back(around(pixel(pin.x, pin.y), kRingRadius + 1));
    if (const double at = capacityPixel(); std::isfinite(at))
        obstacles.push_back(QRectF(at - 3, bounds.top(), 6, bounds.height()));
    if (m_parts.current) {
        const QString degrees = degreesText(m_parts.current->strategy);
        addLabel(result, obstacles, pixel(m_parts.current->x, m_parts.current->y),
            {tr("this plan: %1").arg(degrees), degrees, tr("this plan")}, kRingRadius + 4, true);
    }
    for (const Pin& pin : m_parts.pins)
        addLabel(result, obstacles, pixel(pin.x, pin.y), {pin.name}, kRingRadius + 4, true);
    addCapacityLabel(result, obstacles);
    if (!m_parts.view.front.empty()) {
        for (const std::size_t i : {m_parts.view.front.back(), m_parts.view.front.front()})
            addLabel(
                result, obstacles, pixelOf(m_parts.view.points[i]), {m_parts.degreesOf(i)}, kFrontRadius + 4, false);
    }
    return result;
}

void ParetoPainter::paintRing(QPainter& painter, QPointF at, const QColor& colour) const
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_parts.look.surface, 5));
    painter.drawEllipse(at, kRingRadius, kRingRadius);
    painter.setPen(QPen(colour, 2));
    painter.drawEllipse(at, kRingRadius, kRingRadius);
}

void ParetoPainter::paintFront(QPainter& painter) const
{
    if (m_parts.view.empty())
        return;
    const Tokens& t = m_parts.look;
    const QRectF rect(m_parts.plot.axisRect()->rect());
    if (const double at = capacityPixel(); std::isfinite(at))
        painter.fillRect(QRectF(std::round(at), rect.top(), 1.5, rect.height() + 1), t.mark(Mark::Capacity));
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF line;
    for (const std::size_t i : m_parts.view.front)
        line << pixelOf(m_parts.view.points[i]);
    // What is priced anew and not searched yet is joined by dashes.
    painter.setPen(QPen(t.mark(Mark::Front), 1.6, m_parts.provisional ? Qt::DashLine : Qt::SolidLine));
    painter.drawPolyline(line);
    painter.setBrush(m_parts.provisional ? t.surface : t.mark(Mark::Front));
    for (qsizetype k = 0; k < line.size(); ++k) {
        const bool apart = k == 0 || QLineF(line[k - 1], line[k]).length() >= kApart;
        const double radius = kFrontRadius + (apart ? 0.5 : -0.5);
        if (m_parts.provisional)
            painter.setPen(QPen(t.mark(Mark::Front), 1.5));
        else
            painter.setPen(apart ? QPen(t.surface, 1) : QPen(Qt::NoPen));
        painter.drawEllipse(line[k], radius, radius);
    }
    for (const Pin& pin : m_parts.pins)
        paintRing(painter, pixel(pin.x, pin.y), t.secondaryText);
    if (m_parts.current)
        paintRing(painter, pixel(m_parts.current->x, m_parts.current->y), t.text);
    for (const ParetoLabel& label : labels()) {
        QFont font = m_parts.font;
        font.setWeight(label.strong ? QFont::DemiBold : QFont::Normal);
        painter.setFont(font);
        QColor veil = t.surface;
        veil.setAlphaF(0.85f);
        painter.fillRect(label.rect, veil); // the cloud behind must not fray the letters
        painter.setPen(label.strong ? t.text : t.secondaryText);
        painter.drawText(label.rect, Qt::AlignCenter, label.text);
    }
}

void ParetoPainter::paintCloud(QPainter& painter, const PointGrid& grid) const
{
    // One square per cell taken, however many strategies share it; neither squares nor batches need antialiasing.
    QList<QRect> dominated;
    QList<QLineF> outOfMemory;
    for (const QPoint& at : grid.cloud())
        dominated << QRect(at.x(), at.y(), PointGrid::kCloudCell, PointGrid::kCloudCell);
    for (const QPoint& at : grid.crosses()) // a small cross: told from the cloud without its colour
        outOfMemory << QLineF(at.x() - 1, at.y() - 1, at.x() + 1, at.y() + 1)
                    << QLineF(at.x() - 1, at.y() + 1, at.x() + 1, at.y() - 1);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_parts.look.mark(Mark::Cloud));
    painter.drawRects(dominated.constData(), static_cast<int>(dominated.size()));
    painter.setPen(QPen(m_parts.look.mark(Mark::OutOfMemory), 1));
    painter.drawLines(outOfMemory.constData(), static_cast<int>(outOfMemory.size()));
}

void ParetoPainter::paintBrush(QPainter& painter, Interval x, Interval y) const
{
    const QRectF area = QRectF(pixel(x.low, y.high), pixel(x.high, y.low)).normalized();
    QColor fill = m_parts.look.accent;
    fill.setAlphaF(0.12f);
    painter.fillRect(area, fill);
    painter.setPen(QPen(m_parts.look.accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area);
}

void ParetoPainter::paintSelected(QPainter& painter, double x, double y) const
{
    const QPointF at = pixel(x, y);
    if (QRectF(m_parts.plot.axisRect()->rect()).contains(at))
        paintRing(painter, at, m_parts.look.accent);
}

void ParetoPainter::paintCross(QPainter& painter, QPointF at) const
{
    const QRectF rect(m_parts.plot.axisRect()->rect());
    QColor line = m_parts.look.secondaryText;
    line.setAlphaF(0.6f);
    painter.setPen(QPen(line, 1, Qt::DashLine));
    painter.drawLine(QPointF(rect.left(), at.y()), QPointF(at.x(), at.y()));
    painter.drawLine(QPointF(at.x(), at.y()), QPointF(at.x(), rect.bottom()));
}

} // namespace stratoplan::widgets
