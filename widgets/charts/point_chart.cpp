// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/point_chart.h"

#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr double kRadius = 5;

} // namespace

void PointChart::paintHoveredPoint(QPainter& painter) const
{
    if (!m_hover)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(look().surface, 1.5));
    painter.setBrush(look().accent);
    painter.drawEllipse(pointAt(*m_hover), kRadius, kRadius);
}

void PointChart::setHover(std::optional<std::size_t> point)
{
    if (point == m_hover)
        return;
    m_hover = point;
    if (point)
        plot().setCursor(Qt::PointingHandCursor);
    else
        plot().unsetCursor();
    replotOverlay(plot());
}

void PointChart::pointerMoved(QPointF at)
{
    setHover(pointNear(at));
}

void PointChart::pointerLeft()
{
    setHover(std::nullopt);
}

void PointChart::pointerClicked(QPointF at)
{
    if (const auto point = pointNear(at))
        choose(*point);
}

bool PointChart::keyPressed(QKeyEvent& event)
{
    const int key = event.key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_hover) {
        activate(*m_hover);
        return true;
    }
    if ((key != Qt::Key_Left && key != Qt::Key_Right) || event.modifiers() != Qt::NoModifier)
        return false;
    const std::vector<std::size_t> points = path();
    if (points.empty())
        return false;
    const auto found = m_hover ? std::find(points.begin(), points.end(), *m_hover) : points.end();
    const auto last = static_cast<std::ptrdiff_t>(points.size()) - 1;
    std::ptrdiff_t next = key == Qt::Key_Right ? 0 : last;
    if (found != points.end())
        next = std::clamp<std::ptrdiff_t>((found - points.begin()) + (key == Qt::Key_Right ? 1 : -1), 0, last);
    pointTo(points[static_cast<std::size_t>(next)]);
    return true;
}

void PointChart::pointTo(std::size_t point)
{
    setHover(point);
    announce(pointAt(point), toolTipOf(point));
}

std::optional<QPointF> PointChart::pointedAt() const
{
    return m_hover ? std::optional(pointAt(*m_hover)) : std::nullopt;
}

QString PointChart::toolTipAt(QPointF at) const
{
    const auto point = pointNear(at);
    return point ? toolTipOf(*point) : QString();
}

} // namespace stratoplan::widgets
