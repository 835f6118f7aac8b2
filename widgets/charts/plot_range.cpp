// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/plot_range.h"

#include "widgets/charts/qcp.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

Interval toInterval(const QCPRange& range)
{
    return {range.lower, range.upper};
}

} // namespace

PlotRange::PlotRange(QCustomPlot& plot, QObject* parent)
    : QObject(parent)
    , m_plot(plot)
{
    for (QCPAxis* axis : {m_plot.xAxis, m_plot.yAxis})
        connect(
            axis, static_cast<void (QCPAxis::*)(const QCPRange&)>(&QCPAxis::rangeChanged), this, [this] { confine(); });
}

Interval PlotRange::x() const
{
    return toInterval(m_plot.xAxis->range());
}

Interval PlotRange::y() const
{
    return toInterval(m_plot.yAxis->range());
}

void PlotRange::show(Interval x, Interval y)
{
    m_plot.xAxis->setRange(x.low, x.high);
    m_plot.yAxis->setRange(y.low, y.high);
}

void PlotRange::setBounds(Interval x, Interval y, double shortestX, double shortestY)
{
    m_boundsX = x;
    m_boundsY = y;
    m_shortestX = shortestX;
    m_shortestY = shortestY;
}

void PlotRange::setZoomDirections(Qt::Orientations wheel, Qt::Orientations controlWheel)
{
    m_wheel = wheel;
    m_controlWheel = controlWheel;
}

void PlotRange::confine()
{
    const Interval confinedX = confined(x(), m_boundsX, m_shortestX);
    const Interval confinedY = confined(y(), m_boundsY, m_shortestY);
    if (!(confinedX == x()))
        m_plot.xAxis->setRange(confinedX.low, confinedX.high);
    if (!(confinedY == y()))
        m_plot.yAxis->setRange(confinedY.low, confinedY.high);
}

void PlotRange::zoom(Qt::Orientation orientation, double factor, double anchorPixels)
{
    QCPAxis* axis = orientation == Qt::Horizontal ? m_plot.xAxis : m_plot.yAxis;
    const double anchor = axis->pixelToCoord(anchorPixels);
    const Interval bounds = orientation == Qt::Horizontal ? m_boundsX : m_boundsY;
    const double shortest = orientation == Qt::Horizontal ? m_shortestX : m_shortestY;
    const QCPRange range = axis->range();
    // The length is limited before the range is set, so that the value at the pointer stays there at the limits, too.
    const double length = std::clamp(range.size() / factor, std::min(shortest, bounds.length()), bounds.length());
    const double share = (anchor - range.lower) / range.size();
    m_moved = true;
    axis->setRange(anchor - share * length, anchor + (1 - share) * length);
}

void PlotRange::zoomAll(double factor, QPointF anchor, bool control)
{
    const Qt::Orientations directions = control ? m_controlWheel : m_wheel;
    if (directions.testFlag(Qt::Horizontal))
        zoom(Qt::Horizontal, factor, anchor.x());
    if (directions.testFlag(Qt::Vertical))
        zoom(Qt::Vertical, factor, anchor.y());
}

void PlotRange::pan(Qt::Orientation orientation, double share)
{
    QCPAxis* axis = orientation == Qt::Horizontal ? m_plot.xAxis : m_plot.yAxis;
    m_moved = true;
    axis->moveRange(share * axis->range().size());
}

void PlotRange::drag(QPointF from, QPointF to)
{
    for (QCPAxis* axis : {m_plot.xAxis, m_plot.yAxis}) {
        const bool horizontal = axis->orientation() == Qt::Horizontal;
        const double start = axis->pixelToCoord(horizontal ? from.x() : from.y());
        const double end = axis->pixelToCoord(horizontal ? to.x() : to.y());
        const QCPRange before = axis->range();
        axis->moveRange(start - end);
        m_moved = m_moved || axis->range() != before;
    }
}

} // namespace stratoplan::widgets
