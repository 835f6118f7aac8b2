// SPDX-License-Identifier: GPL-3.0-or-later
// What the wheel, the pointer and the keys do to a chart.
#include "widgets/charts/chart_view.h"
#include "widgets/charts/qcp.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

namespace stratoplan {

namespace {

constexpr double kWheelStep = 1.2;
constexpr double kKeyZoom = 1.4;
constexpr double kKeyPan = 0.15;

} // namespace

bool ChartView::eventFilter(QObject* object, QEvent* event)
{
    if (object != m_plot)
        return QWidget::eventFilter(object, event);
    switch (event->type()) {
    case QEvent::Wheel:
        wheel(static_cast<QWheelEvent&>(*event));
        event->accept();
        return true;
    case QEvent::MouseButtonPress: {
        const auto& mouse = static_cast<QMouseEvent&>(*event);
        setFocus(Qt::MouseFocusReason);
        m_pressed = mouse.button() == Qt::LeftButton || mouse.button() == Qt::MiddleButton;
        m_dragging = false;
        m_pressAt = m_dragFrom = mouse.position();
        m_ownDrag = !m_empty && mouse.button() == Qt::LeftButton && takesDrag(m_pressAt, mouse.modifiers());
        return m_pressed;
    }
    case QEvent::MouseMove:
        mouseMoved(static_cast<QMouseEvent&>(*event));
        return true;
    case QEvent::MouseButtonRelease: {
        const bool click = m_pressed && !m_dragging && static_cast<QMouseEvent&>(*event).button() == Qt::LeftButton;
        const bool ownDrag = m_dragging && m_ownDrag;
        m_pressed = m_dragging = m_ownDrag = false;
        m_plot->unsetCursor();
        if (click)
            pointerClicked(m_pressAt);
        else if (ownDrag)
            dragEnded();
        return true;
    }
    case QEvent::MouseButtonDblClick:
        if (static_cast<QMouseEvent&>(*event).button() == Qt::LeftButton
            && !pointerDoubleClicked(static_cast<QMouseEvent&>(*event).position()))
            fit();
        return true;
    case QEvent::Resize:
        if (!m_empty && !m_moved)
            fitView(); // how much fits may depend on the size
        break;
    case QEvent::Leave:
        pointerLeft();
        hoverStage(-1);
        break;
    case QEvent::ToolTip:
        return true; // shown on every move instead
    case QEvent::ContextMenu: {
        // QCustomPlot lets nothing of the mouse through to its parent.
        const auto& asked = static_cast<QContextMenuEvent&>(*event);
        showMenu(asked.pos(), asked.globalPos());
        event->accept();
        return true;
    }
    default:
        break;
    }
    return QWidget::eventFilter(object, event);
}

void ChartView::wheel(QWheelEvent& event)
{
    const double steps = (event.angleDelta().y() != 0 ? event.angleDelta().y() : event.angleDelta().x()) / 120.0;
    if (steps == 0 || m_empty)
        return;
    if (event.modifiers().testFlag(Qt::ShiftModifier) || event.angleDelta().y() == 0) {
        pan(Qt::Horizontal, -steps * kKeyPan);
    } else {
        const Qt::Orientations directions = event.modifiers().testFlag(Qt::ControlModifier) ? m_controlWheel : m_wheel;
        const double factor = std::pow(kWheelStep, steps);
        if (directions.testFlag(Qt::Horizontal))
            zoom(Qt::Horizontal, factor, event.position().x());
        if (directions.testFlag(Qt::Vertical))
            zoom(Qt::Vertical, factor, event.position().y());
    }
    QToolTip::hideText();
    replot();
}

void ChartView::mouseMoved(QMouseEvent& event)
{
    const QPointF at = event.position();
    if (m_pressed && (m_dragging || (at - m_pressAt).manhattanLength() >= QApplication::startDragDistance())) {
        if (!m_dragging) {
            m_dragging = true;
            if (!m_ownDrag)
                m_plot->setCursor(Qt::ClosedHandCursor);
            QToolTip::hideText();
        }
        if (m_ownDrag)
            pointerDragged(at);
        else
            drag(at);
        return;
    }
    pointerMoved(at);
    const QString tip = m_empty ? QString() : toolTipAt(at);
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(event.globalPosition().toPoint() + QPoint(4, 8), tip, m_plot);
}

void ChartView::drag(QPointF to)
{
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        const bool horizontal = axis->orientation() == Qt::Horizontal;
        const double from = axis->pixelToCoord(horizontal ? m_dragFrom.x() : m_dragFrom.y());
        const double now = axis->pixelToCoord(horizontal ? to.x() : to.y());
        const QCPRange before = axis->range();
        axis->moveRange(from - now);
        m_moved = m_moved || axis->range() != before;
    }
    m_dragFrom = to;
    replot();
}

void ChartView::keyPressEvent(QKeyEvent* event)
{
    const QRect rect = m_plot->axisRect()->rect();
    const auto zoomBoth = [&](double factor) {
        if (m_wheel.testFlag(Qt::Horizontal))
            zoom(Qt::Horizontal, factor, rect.center().x());
        if (m_wheel.testFlag(Qt::Vertical))
            zoom(Qt::Vertical, factor, rect.center().y());
    };
    if (m_empty) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (event->matches(QKeySequence::Copy)) {
        copyData();
        return;
    }
    if (!keyPressed(*event)) {
        switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomBoth(kKeyZoom);
            break;
        case Qt::Key_Minus:
            zoomBoth(1 / kKeyZoom);
            break;
        case Qt::Key_Left:
            pan(Qt::Horizontal, -kKeyPan);
            break;
        case Qt::Key_Right:
            pan(Qt::Horizontal, kKeyPan);
            break;
        case Qt::Key_Up:
            pan(Qt::Vertical, m_plot->yAxis->rangeReversed() ? -kKeyPan : kKeyPan);
            break;
        case Qt::Key_Down:
            pan(Qt::Vertical, m_plot->yAxis->rangeReversed() ? kKeyPan : -kKeyPan);
            break;
        case Qt::Key_F:
        case Qt::Key_Home:
            if (event->modifiers() != Qt::NoModifier && event->modifiers() != Qt::ShiftModifier) {
                QWidget::keyPressEvent(event);
                return;
            }
            fit();
            return;
        default:
            QWidget::keyPressEvent(event);
            return;
        }
    }
    replot();
}

void ChartView::paintEvent(QPaintEvent*)
{
    if (!hasFocus() || !window()->testAttribute(Qt::WA_KeyboardFocusChange))
        return;
    QPainter painter(this);
    painter.setPen(QPen(currentTokens().accent, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

void ChartView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeOverPicture();
    fitTitle();
}

void ChartView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void ChartView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

} // namespace stratoplan
