// SPDX-License-Identifier: GPL-3.0-or-later
// What the mouse does on the canvas, drag and drop included.
#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/ghost_card.h"
#include "widgets/topology/preset_key.h"
#include "widgets/topology/topology_view.h"

#include <QDragEnterEvent>
#include <QMimeData>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {

QString draggedPreset(const QMimeData* data)
{
    const QString type = QString::fromLatin1(kPresetMimeType);
    return data->hasFormat(type) ? QString::fromUtf8(data->data(type)) : QString();
}

} // namespace

void TopologyView::mousePressEvent(QMouseEvent* event)
{
    const QPointF at = mapToScene(event->position().toPoint());
    if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && m_tool == Tool::Pan)) {
        m_panning = true;
        m_lastPan = event->position().toPoint();
        viewport()->setCursor(Qt::ClosedHandCursor);
        return;
    }
    m_scene->setCurrent({});
    if (event->button() == Qt::RightButton) {
        // The menu is about what lies under the pointer.
        const auto under = m_scene->items(at);
        const auto it = std::find_if(under.begin(), under.end(),
            [](const QGraphicsItem* i) { return i->flags() & QGraphicsItem::ItemIsSelectable; });
        if (it == under.end()) {
            m_scene->select({});
        } else if (!(*it)->isSelected()) {
            m_scene->clearSelection();
            (*it)->setSelected(true);
        }
        return;
    }
    if (event->button() == Qt::LeftButton && !m_armed.isEmpty()) {
        const QString key = m_armed;
        armPreset({});
        placePresetAt(key, at);
        return;
    }
    if (event->button() == Qt::LeftButton && m_tool == Tool::Link) {
        const ElementItem* pressed = m_scene->elementAt(at);
        if (m_linkSource.empty() && pressed) {
            startLink(pressed->id());
            m_linkDragged = true;
        } else if (pressed && pressed->id() != m_linkSource) {
            finishLink(pressed->id());
        } else if (!pressed) {
            clearLink();
            showToolHint();
        }
        return;
    }
    QGraphicsView::mousePressEvent(event);
}

void TopologyView::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF at = mapToScene(event->position().toPoint());
    if (m_panning) {
        const QPoint delta = event->position().toPoint() - m_lastPan;
        m_lastPan = event->position().toPoint();
        m_autoFit = false;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - delta.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() - delta.y());
        return;
    }
    if (!m_armed.isEmpty()) {
        moveGhost(m_armed, at);
        return;
    }
    if (m_tool == Tool::Link && !m_linkSource.empty()) {
        const ElementItem* under = m_scene->elementAt(at);
        aimLink(under ? under->id() : std::string(), at);
        return;
    }
    QGraphicsView::mouseMoveEvent(event);
}

void TopologyView::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_panning) {
        m_panning = false;
        viewport()->setCursor(m_tool == Tool::Pan ? Qt::OpenHandCursor
                : m_tool == Tool::Link            ? Qt::CrossCursor
                                                  : Qt::ArrowCursor);
        viewChanged();
        return;
    }
    if (m_tool == Tool::Link) {
        const ElementItem* under = m_scene->elementAt(mapToScene(event->position().toPoint()));
        const bool onSource = under && under->id() == m_linkSource;
        if (m_linkDragged && !onSource) {
            const std::string source = m_linkSource;
            if (under)
                finishLink(under->id());
            clearLink();
            if (!under || m_scene->element(source) == nullptr)
                showToolHint();
        }
        m_linkDragged = false; // released on the source: the next click names the other end
        return;
    }
    QGraphicsView::mouseReleaseEvent(event);
    if (event->button() == Qt::LeftButton)
        commitMoves();
}

void TopologyView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const QStringList keys = selection();
    if (m_tool == Tool::Select && m_armed.isEmpty() && event->button() == Qt::LeftButton && keys.size() == 1
        && itemAt(event->position().toPoint())) {
        Q_EMIT editRequested(keys.constFirst());
        return;
    }
    QGraphicsView::mouseDoubleClickEvent(event);
}

void TopologyView::wheelEvent(QWheelEvent* event)
{
    event->accept();
    const int turned = event->angleDelta().y();
    if (turned == 0)
        return;
    m_autoFit = false;
    constexpr double kPerNotch = 1.2; // a notch of a wheel is 120 units
    zoomAt(std::pow(kPerNotch, turned / 120.0), event->position());
}

void TopologyView::dragEnterEvent(QDragEnterEvent* event)
{
    dragMoveEvent(event);
}

void TopologyView::dragMoveEvent(QDragMoveEvent* event)
{
    const QString key = draggedPreset(event->mimeData());
    if (presetKey(*m_catalog, key).kind == PresetKind::None) {
        event->ignore();
        return;
    }
    event->acceptProposedAction();
    moveGhost(key, mapToScene(event->position().toPoint()));
}

void TopologyView::dragLeaveEvent(QDragLeaveEvent* event)
{
    m_ghost->hide();
    event->accept();
}

void TopologyView::dropEvent(QDropEvent* event)
{
    m_ghost->hide();
    const QString key = draggedPreset(event->mimeData());
    if (presetKey(*m_catalog, key).kind == PresetKind::None) {
        event->ignore();
        return;
    }
    event->acceptProposedAction();
    armPreset({});
    placePresetAt(key, mapToScene(event->position().toPoint()));
    setFocus(Qt::MouseFocusReason);
}

} // namespace stratoplan
