// SPDX-License-Identifier: GPL-3.0-or-later
// What the Pareto chart draws, and what it writes beside the marks.
#include "widgets/charts/pareto_chart.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/text.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

namespace stratoplan {

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

double ParetoChart::capacityPixel() const
{
    const bool shown = m_view.capacity.value() > 0 && m_xMeasure == StrategyMeasure::PeakMemory;
    return shown ? plot().xAxis->coordToPixel(m_view.capacity.value()) : std::numeric_limits<double>::quiet_NaN();
}

void ParetoChart::addLabel(std::vector<Label>& labels, std::vector<QRectF>& obstacles, QPointF anchor,
    const QStringList& names, double gap, bool strong) const
{
    const QRectF bounds = QRectF(plot().axisRect()->rect()).adjusted(3, 3, -3, -3);
    if (!bounds.contains(anchor))
        return;
    QFont font = plotFont();
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

void ParetoChart::addCapacityLabel(std::vector<Label>& labels, std::vector<QRectF>& obstacles) const
{
    const QRectF bounds = QRectF(plot().axisRect()->rect()).adjusted(3, 3, -3, -3);
    const double at = capacityPixel();
    if (!(at >= bounds.left() && at <= bounds.right()))
        return;
    const QFontMetricsF metrics(plotFont());
    const QString limit = tr("%1 capacity").arg(text(m_view.capacity));
    const QSizeF size(metrics.horizontalAdvance(limit) + 4, metrics.height());
    QRectF rect = placeBesideLine(at, size, bounds, obstacles);
    if (rect.isEmpty()) {
        // Rather over points of the front than nowhere; over this plan and its name never.
        std::vector<QRectF> vital;
        if (m_current)
            vital.push_back(around(pixel(m_current->x, m_current->y), kRingRadius + 1));
        for (const Label& label : labels)
            vital.push_back(label.rect);
        rect = placeBesideLine(at, size, bounds, vital);
    }
    if (rect.isEmpty())
        return;
    labels.push_back({rect, limit, false});
    obstacles.push_back(rect);
}

std::vector<ParetoChart::Label> ParetoChart::labels() const
{
    std::vector<Label> result;
    const QRectF bounds = QRectF(plot().axisRect()->rect()).adjusted(3, 3, -3, -3);
    std::vector<QRectF> obstacles;
    for (const std::size_t i : m_view.front)
        obstacles.push_back(around(pointAt(i), kFrontRadius + 2));
    if (m_current)
        obstacles.push_back(around(pixel(m_current->x, m_current->y), kRingRadius + 1)); // no label hides it
    if (const double at = capacityPixel(); std::isfinite(at))
        obstacles.push_back(QRectF(at - 3, bounds.top(), 6, bounds.height()));
    if (m_current) {
        const QString degrees = degreesText(m_current->strategy.strategy);
        addLabel(result, obstacles, pixel(m_current->x, m_current->y),
            {tr("this plan: %1").arg(degrees), degrees, tr("this plan")}, kRingRadius + 4, true);
    }
    addCapacityLabel(result, obstacles);
    if (!m_view.front.empty()) {
        for (const std::size_t i : {m_view.front.back(), m_view.front.front()})
            addLabel(result, obstacles, pointAt(i), {degreesText(strategyAt(i).strategy)}, kFrontRadius + 4, false);
    }
    return result;
}

void ParetoChart::paintCloud(QPainter& painter) const
{
    if (m_view.empty() || plot().axisRect()->rect().isEmpty())
        return;
    if (isCloudShown()) {
        painter.drawImage(plot().axisRect()->rect().topLeft(),
            cloudGrid().image(look().mark(Mark::Cloud), look().mark(Mark::OutOfMemory)));
        return;
    }
    // One square per cell taken, however many strategies share it; neither squares nor batches need antialiasing.
    QList<QRect> dominated;
    QList<QLineF> outOfMemory;
    for (const QPoint& at : grid().cloud())
        dominated << QRect(at.x(), at.y(), PointGrid::kCloudCell, PointGrid::kCloudCell);
    for (const QPoint& at : grid().crosses()) // a small cross: told from the cloud without its colour
        outOfMemory << QLineF(at.x() - 1, at.y() - 1, at.x() + 1, at.y() + 1)
                    << QLineF(at.x() - 1, at.y() + 1, at.x() + 1, at.y() - 1);
    painter.setPen(Qt::NoPen);
    painter.setBrush(look().mark(Mark::Cloud));
    painter.drawRects(dominated.constData(), static_cast<int>(dominated.size()));
    painter.setPen(QPen(look().mark(Mark::OutOfMemory), 1));
    painter.drawLines(outOfMemory.constData(), static_cast<int>(outOfMemory.size()));
}

void ParetoChart::paintRing(QPainter& painter, QPointF at, const QColor& colour) const
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(look().surface, 5));
    painter.drawEllipse(at, kRingRadius, kRingRadius);
    painter.setPen(QPen(colour, 2));
    painter.drawEllipse(at, kRingRadius, kRingRadius);
}

void ParetoChart::paintFront(QPainter& painter) const
{
    if (m_view.empty())
        return;
    const Tokens& t = look();
    const QRectF rect(plot().axisRect()->rect());
    if (const double at = capacityPixel(); std::isfinite(at))
        painter.fillRect(QRectF(std::round(at), rect.top(), 1.5, rect.height() + 1), t.mark(Mark::Capacity));
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF line;
    for (const std::size_t i : m_view.front)
        line << pointAt(i);
    // What is priced anew and not searched yet is joined by dashes.
    painter.setPen(QPen(t.mark(Mark::Front), 1.6, m_set->provisional ? Qt::DashLine : Qt::SolidLine));
    painter.drawPolyline(line);
    painter.setBrush(m_set->provisional ? t.surface : t.mark(Mark::Front));
    for (qsizetype k = 0; k < line.size(); ++k) {
        const bool apart = k == 0 || QLineF(line[k - 1], line[k]).length() >= kApart;
        const double radius = kFrontRadius + (apart ? 0.5 : -0.5);
        if (m_set->provisional)
            painter.setPen(QPen(t.mark(Mark::Front), 1.5));
        else
            painter.setPen(apart ? QPen(t.surface, 1) : QPen(Qt::NoPen));
        painter.drawEllipse(line[k], radius, radius);
    }
    if (m_current)
        paintRing(painter, pixel(m_current->x, m_current->y), t.text);
    for (const Label& label : labels()) {
        QFont font = plotFont();
        font.setWeight(label.strong ? QFont::DemiBold : QFont::Normal);
        painter.setFont(font);
        QColor veil = t.surface;
        veil.setAlphaF(0.85f);
        painter.fillRect(label.rect, veil); // the cloud behind must not fray the letters
        painter.setPen(label.strong ? t.text : t.secondaryText);
        painter.drawText(label.rect, Qt::AlignCenter, label.text);
    }
}

void ParetoChart::paintOverlay(QPainter& painter) const
{
    const QRectF rect(plot().axisRect()->rect());
    if (m_brush) {
        const QRectF area =
            QRectF(pixel(m_brush->x.low, m_brush->y.high), pixel(m_brush->x.high, m_brush->y.low)).normalized();
        QColor fill = look().accent;
        fill.setAlphaF(0.12f);
        painter.fillRect(area, fill);
        painter.setPen(QPen(look().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(area);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    const bool ofSet = m_selected && m_set && *m_selected < m_set->points.size();
    if (ofSet || m_selectedOfCloud) {
        const StrategyPoint& s = ofSet ? m_set->points[*m_selected] : *m_selectedOfCloud;
        const QPointF at = pixel(measured(s, m_xMeasure, rates()), measured(s, m_yMeasure, rates()));
        if (rect.contains(at))
            paintRing(painter, at, look().accent);
    }
    if (!hovered())
        return;
    const QPointF at = pointAt(*hovered());
    QColor line = look().secondaryText;
    line.setAlphaF(0.6f);
    painter.setPen(QPen(line, 1, Qt::DashLine));
    painter.drawLine(QPointF(rect.left(), at.y()), QPointF(at.x(), at.y()));
    painter.drawLine(QPointF(at.x(), at.y()), QPointF(at.x(), rect.bottom()));
    paintHoveredPoint(painter);
}

QString ParetoChart::toolTipOf(std::size_t point) const
{
    const StrategyPoint c = strategyAt(point);
    const StrategyPoint::Kind kind = isOfCloud(point) ? c.kind : m_view.points[point].kind; // by the measures shown
    const QString state = kind == StrategyPoint::Kind::OutOfMemory
        ? tr("%1 over the capacity").arg(text(c.peak - m_view.capacity))
        : kind == StrategyPoint::Kind::Front ? tr("on the Pareto front")
                                             : tr("dominated");
    QStringList figures{tokenRateText(measured(c, StrategyMeasure::Throughput, rates())), text(c.peak),
        tr("step %1").arg(text(c.step))};
    for (const StrategyMeasure measure : {m_yMeasure, m_xMeasure}) {
        if (measure != StrategyMeasure::Throughput && measure != StrategyMeasure::PeakMemory
            && measure != StrategyMeasure::StepTime)
            figures << measureText(measure, measured(c, measure, rates()), rates());
    }
    return tr("<div style='white-space:nowrap'><b>%1</b><br>%2<br>%3 · click previews, double-click adopts</div>")
        .arg(strategyText(c.strategy), figures.join(QStringLiteral(" · ")), state);
}

} // namespace stratoplan
