// SPDX-License-Identifier: GPL-3.0-or-later
// The keyboard on the canvas: walking over elements, moving, linking, giving up.
#include "widgets/topology/topology_accessible.h"
#include "widgets/topology/topology_view.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>

namespace stratoplan {

bool TopologyView::focusNextPrevChild(bool next)
{
    // Buttons above the canvas ask their parent too; the walk over elements is only for the canvas itself.
    if (hasFocus() && stepCurrent(next))
        return true;
    return QGraphicsView::focusNextPrevChild(next);
}

bool TopologyView::stepCurrent(bool next)
{
    QStringList order = m_scene->walkOrder();
    if (m_tool == Tool::Link)
        order.erase(std::remove_if(order.begin(), order.end(),
                        [this](const QString& k) { return !m_scene->element(k.toStdString()); }),
            order.end());
    QString base = m_scene->current();
    if (base.isEmpty() && !selection().isEmpty())
        base = next ? selection().constLast() : selection().constFirst();
    const qsizetype at = order.indexOf(base);
    const qsizetype to = at < 0 ? (next ? 0 : order.size() - 1) : at + (next ? 1 : -1);
    if (to < 0 || to >= order.size()) {
        m_scene->setCurrent({});
        return false;
    }
    const QString key = order.at(to);
    m_scene->setCurrent(key);
    announceCurrent(*this, key);
    if (const QGraphicsItem* item = m_scene->item(key))
        ensureVisible(item->sceneBoundingRect(), 24, 64);
    if (m_tool == Tool::Select) {
        m_scene->select({key});
    } else if (m_tool == Tool::Link && !m_linkSource.empty()) {
        const ElementItem* e = m_scene->element(key.toStdString());
        aimLink(e->id(), e->sceneCard().bottomLeft());
    }
    return true;
}

void TopologyView::nudge(int key, Qt::KeyboardModifiers modifiers)
{
    const double step = modifiers & Qt::ShiftModifier ? 8 * kCanvasGrid : kCanvasGrid;
    const QPointF delta = key == Qt::Key_Left ? QPointF(-step, 0)
        : key == Qt::Key_Right                ? QPointF(step, 0)
        : key == Qt::Key_Up                   ? QPointF(0, -step)
                                              : QPointF(0, step);
    bool any = false;
    for (const QString& id : selection()) {
        if (ElementItem* item = m_scene->element(id.toStdString())) {
            item->setPos(item->pos() + delta);
            any = true;
        }
    }
    m_nudged = m_nudged || any;
    if (any)
        return;
    m_autoFit = false;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + static_cast<int>(delta.x() * 4));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(delta.y() * 4));
}

void TopologyView::activateCurrent()
{
    const QString key = !m_scene->current().isEmpty() ? m_scene->current() : selection().value(0);
    if (key.isEmpty())
        return;
    if (m_tool != Tool::Link) {
        Q_EMIT editRequested(key);
        return;
    }
    if (!m_scene->element(key.toStdString()))
        return;
    if (m_linkSource.empty())
        startLink(key.toStdString());
    else
        finishLink(key.toStdString());
}

bool TopologyView::escape()
{
    if (!m_armed.isEmpty()) {
        armPreset({});
    } else if (!m_linkSource.empty()) {
        clearLink();
        showToolHint();
    } else if (m_tool != Tool::Select) {
        setTool(Tool::Select);
    } else if (!selection().isEmpty()) {
        m_scene->setCurrent({});
        m_scene->select({});
    } else {
        return false; // the window may have a use for it
    }
    return true;
}

void TopologyView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Escape:
        if (!escape()) {
            event->ignore();
            return;
        }
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        activateCurrent();
        break;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        nudge(event->key(), event->modifiers());
        break;
    default:
        QGraphicsView::keyPressEvent(event);
        return;
    }
    event->accept();
}

void TopologyView::keyReleaseEvent(QKeyEvent* event)
{
    // However long the key was held, it is one move.
    if (!event->isAutoRepeat() && std::exchange(m_nudged, false))
        commitMoves();
    QGraphicsView::keyReleaseEvent(event);
}

void TopologyView::focusInEvent(QFocusEvent* event)
{
    QGraphicsView::focusInEvent(event);
    if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason) {
        const QStringList chosen = selection();
        if (!chosen.isEmpty())
            m_scene->setCurrent(chosen.constFirst());
        else
            stepCurrent(event->reason() == Qt::TabFocusReason);
    }
}

void TopologyView::focusOutEvent(QFocusEvent* event)
{
    if (std::exchange(m_nudged, false))
        commitMoves();
    if (event->reason() != Qt::PopupFocusReason)
        m_scene->setCurrent({});
    QGraphicsView::focusOutEvent(event);
}

} // namespace stratoplan
