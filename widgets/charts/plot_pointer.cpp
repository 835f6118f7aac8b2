// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/plot_pointer.h"

#include "widgets/charts/plot_range.h"
#include "widgets/charts/qcp.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kWheelStep = 1.2;
constexpr double kWheelPan = 0.15;

} // namespace

PlotPointer::PlotPointer(QCustomPlot& plot, PlotRange& range, PointerTarget& target, QObject* parent)
    : QObject(parent)
    , m_plot(plot)
    , m_range(range)
    , m_target(target)
{
    m_plot.installEventFilter(this);
}

bool PlotPointer::eventFilter(QObject*, QEvent* event)
{
    switch (event->type()) {
    case QEvent::Wheel:
        wheel(static_cast<const QWheelEvent&>(*event));
        event->accept();
        return true;
    case QEvent::MouseButtonPress:
        return press(static_cast<const QMouseEvent&>(*event));
    case QEvent::MouseMove:
        move(static_cast<const QMouseEvent&>(*event));
        return true;
    case QEvent::MouseButtonRelease:
        release(static_cast<const QMouseEvent&>(*event));
        return true;
    case QEvent::MouseButtonDblClick:
        doubleClick(static_cast<const QMouseEvent&>(*event));
        return true;
    case QEvent::Resize:
        Q_EMIT resized();
        return false;
    case QEvent::Leave:
        m_target.pointerLeft();
        Q_EMIT left();
        return false;
    case QEvent::ToolTip:
        return true; // shown on every move instead
    case QEvent::ContextMenu: {
        // QCustomPlot lets nothing of the mouse through to its parent.
        const auto& asked = static_cast<const QContextMenuEvent&>(*event);
        Q_EMIT menuWanted(asked.pos(), asked.globalPos());
        event->accept();
        return true;
    }
    default:
        return false;
    }
}

bool PlotPointer::press(const QMouseEvent& event)
{
    Q_EMIT pressed();
    m_pressed = event.button() == Qt::LeftButton || event.button() == Qt::MiddleButton;
    m_dragging = false;
    m_pressAt = m_dragFrom = event.position();
    m_dragOfChart =
        m_target.takesPointer() && event.button() == Qt::LeftButton && m_target.takesDrag(m_pressAt, event.modifiers());
    return m_pressed;
}

void PlotPointer::move(const QMouseEvent& event)
{
    const QPointF at = event.position();
    const bool drags =
        m_pressed && (m_dragging || (at - m_pressAt).manhattanLength() >= QApplication::startDragDistance());
    if (!drags) {
        m_target.pointerMoved(at);
        showTip(event);
        return;
    }
    if (!m_dragging) {
        m_dragging = true;
        if (!m_dragOfChart)
            m_plot.setCursor(Qt::ClosedHandCursor);
        QToolTip::hideText();
    }
    if (m_dragOfChart)
        m_target.pointerDragged(at);
    else
        drag(at);
}

void PlotPointer::showTip(const QMouseEvent& event)
{
    const QString tip = m_target.takesPointer() ? m_target.toolTipAt(event.position()) : QString();
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(event.globalPosition().toPoint() + QPoint(4, 8), tip, &m_plot);
}

void PlotPointer::drag(QPointF to)
{
    m_range.drag(m_dragFrom, to);
    m_dragFrom = to;
    Q_EMIT moved();
}

void PlotPointer::release(const QMouseEvent& event)
{
    const bool click = m_pressed && !m_dragging && event.button() == Qt::LeftButton;
    const bool ended = m_dragging && m_dragOfChart;
    m_pressed = m_dragging = m_dragOfChart = false;
    m_plot.unsetCursor();
    if (click)
        m_target.pointerClicked(m_pressAt);
    else if (ended)
        m_target.dragEnded();
}

void PlotPointer::doubleClick(const QMouseEvent& event)
{
    if (event.button() == Qt::LeftButton && !m_target.pointerDoubleClicked(event.position()))
        Q_EMIT fitWanted();
}

void PlotPointer::wheel(const QWheelEvent& event)
{
    const double steps = (event.angleDelta().y() != 0 ? event.angleDelta().y() : event.angleDelta().x()) / 120.0;
    if (steps == 0 || !m_target.takesPointer())
        return;
    if (event.modifiers().testFlag(Qt::ShiftModifier) || event.angleDelta().y() == 0)
        m_range.pan(Qt::Horizontal, -steps * kWheelPan);
    else
        m_range.zoomAll(std::pow(kWheelStep, steps), event.position(), event.modifiers().testFlag(Qt::ControlModifier));
    QToolTip::hideText();
    Q_EMIT moved();
}

} // namespace stratoplan::widgets
