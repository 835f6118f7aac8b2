// SPDX-License-Identifier: GPL-3.0-or-later
// What hands do on the canvas: mouse, keyboard, drag and drop.
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_overlay.h"
#include "widgets/topology/ghost_card.h"
#include "widgets/topology/preset_key.h"
#include "widgets/topology/topology_text.h"
#include "widgets/topology/topology_view.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QGraphicsPathItem>
#include <QKeyEvent>
#include <QMimeData>
#include <QPen>
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

void TopologyView::setTool(Tool tool)
{
    const bool changed = tool != m_tool;
    if (!m_armed.isEmpty())
        armPreset({});
    clearLink();
    m_tool = tool;
    m_selectTool->setChecked(tool == Tool::Select);
    m_linkTool->setChecked(tool == Tool::Link);
    m_panTool->setChecked(tool == Tool::Pan);
    setDragMode(tool == Tool::Select ? QGraphicsView::RubberBandDrag : QGraphicsView::NoDrag);
    viewport()->setCursor(tool == Tool::Select ? Qt::ArrowCursor : tool == Tool::Link ? Qt::CrossCursor : Qt::OpenHandCursor);
    if (tool == Tool::Link) {
        const QStringList keys = selection();
        if (keys.size() == 1 && m_scene->element(keys.constFirst().toStdString()))
            startLink(keys.constFirst().toStdString());
    }
    showToolHint();
    if (changed)
        Q_EMIT toolChanged(tool);
}

void TopologyView::showToolHint()
{
    const QPoint below(12, m_toolBar->geometry().bottom() + 8);
    if (!m_armed.isEmpty())
        showHint(HintKind::Neutral, tr("Click to place %1, Esc to stop").arg(presetName(*m_catalog, presetKey(*m_catalog, m_armed))), below);
    else if (m_tool != Tool::Link)
        showHint(HintKind::Neutral, {}, below);
    else if (m_linkSource.empty())
        showHint(HintKind::Neutral, tr("Drag from one element to another, or Tab to one and press Enter"), below);
    else
        showHint(HintKind::Neutral,
            tr("Link %1 to: click the other element, or Tab to it and press Enter").arg(fromText(elementName(m_value.cluster, m_linkSource))),
            below);
}

void TopologyView::showHint(HintKind kind, const QString& text, const QPoint& at)
{
    m_hint->setHint(kind, text);
    const QPoint most(width() - m_hint->width() - 8, height() - m_hint->height() - 8);
    m_hint->move(std::max(8, std::min(at.x(), most.x())), std::max(8, std::min(at.y(), most.y())));
    m_hint->raise();
}

QString TopologyView::hintText() const
{
    return m_hint->isHidden() ? QString() : m_hint->text();
}

void TopologyView::startLink(const std::string& source)
{
    clearLink();
    m_linkSource = source;
    if (ElementItem* item = m_scene->element(source))
        item->setMark(CardMark::LinkSource);
    showToolHint();
}

void TopologyView::markLinkTarget(const std::string& target, bool possible)
{
    if (ElementItem* old = m_scene->element(m_linkTarget); old && m_linkTarget != m_linkSource)
        old->setMark(CardMark::None);
    m_linkTarget = target;
    if (ElementItem* item = m_scene->element(target); item && target != m_linkSource)
        item->setMark(possible ? CardMark::LinkPossible : CardMark::LinkRefused);
}

void TopologyView::aimLink(const std::string& target, const QPointF& scenePosition)
{
    const ElementItem* source = m_scene->element(m_linkSource);
    if (!source)
        return;
    const bool aimed = !target.empty() && target != m_linkSource;
    const LinkVerdict verdict = aimed ? connectionPossible(m_value.cluster, m_linkSource, target) : LinkVerdict{};
    markLinkTarget(aimed ? target : std::string(), aimed && verdict.possible());

    const ElementItem* other = aimed ? m_scene->element(target) : nullptr;
    const QPointF end = other ? other->pos() : scenePosition;
    const bool upwards = end.y() < source->pos().y();
    const QRectF card = source->sceneCard();
    const double endY = other ? (upwards ? other->sceneCard().bottom() : other->sceneCard().top()) : end.y();
    const Anchor from{{card.center().x(), upwards ? card.top() : card.bottom()}, {0, upwards ? -1.0 : 1.0}};
    const Anchor to{{end.x(), endY}, {0, upwards ? 1.0 : -1.0}};
    m_linkPreview->setPath(connectionCurve(from, to));
    const Tokens& t = currentTokens();
    QPen pen(!aimed ? t.accent : verdict.possible() ? t.good : t.bad, 2.5, Qt::DashLine);
    pen.setCosmetic(true);
    m_linkPreview->setPen(pen);
    m_linkPreview->show();
    if (aimed) {
        const QPoint at = mapFromScene(scenePosition) + QPoint(18, 18);
        showHint(verdict.possible() ? HintKind::Good : HintKind::Bad, describe(m_value.cluster, verdict), at);
    } else {
        showToolHint();
    }
}

void TopologyView::finishLink(const std::string& target)
{
    CanvasValue next = m_value;
    const LinkVerdict verdict = connectElements(next.cluster, m_linkSource, target, fallbackLink());
    if (!verdict.possible())
        return; // the hint says why, and the source stays in hand
    const QString from = fromText(elementName(m_value.cluster, verdict.from));
    const QString to = fromText(elementName(m_value.cluster, verdict.to));
    const QString key = fromText(connectionKeys(next.cluster).back());
    clearLink();
    propose(next, tr("Link %1 to %2").arg(from, to), {key});
    showToolHint();
}

void TopologyView::clearLink()
{
    markLinkTarget({}, false);
    if (ElementItem* source = m_scene->element(m_linkSource))
        source->setMark(CardMark::None);
    m_linkSource.clear();
    m_linkDragged = false;
    m_linkPreview->hide();
}

void TopologyView::armPreset(const QString& key)
{
    const bool had = !m_armed.isEmpty();
    m_armed = presetKey(*m_catalog, key).kind == PresetKind::None ? QString() : key;
    if (!m_armed.isEmpty() && m_tool != Tool::Select) {
        const QString keep = std::exchange(m_armed, {});
        setTool(Tool::Select);
        m_armed = keep;
    }
    viewport()->setCursor(m_armed.isEmpty() ? Qt::ArrowCursor : Qt::CrossCursor);
    if (m_armed.isEmpty())
        m_ghost->hide();
    showToolHint();
    if (had && m_armed.isEmpty())
        Q_EMIT presetDisarmed();
}

void TopologyView::moveGhost(const QString& text, const QPointF& scenePosition)
{
    const PresetKey key = presetKey(*m_catalog, text);
    if (key.kind != PresetKind::Node && key.kind != PresetKind::Switch) {
        m_ghost->hide();
        return;
    }
    const ElementKind kind = key.kind == PresetKind::Node ? ElementKind::Nodes : ElementKind::Switches;
    m_ghost->setPreset(kind, presetName(*m_catalog, key));
    const CanvasPosition at = freePlace(m_value.cluster, m_value.positions, kind, {scenePosition.x(), scenePosition.y()});
    m_ghost->setPos(at.x, at.y);
    m_ghost->show();
}

// Mouse

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
        const auto it = std::find_if(under.begin(), under.end(), [](const QGraphicsItem* i) { return i->flags() & QGraphicsItem::ItemIsSelectable; });
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
        viewport()->setCursor(m_tool == Tool::Pan ? Qt::OpenHandCursor : m_tool == Tool::Link ? Qt::CrossCursor : Qt::ArrowCursor);
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
    m_autoFit = false;
    constexpr double kPerNotch = 1.2; // a notch of a wheel is 120 units
    zoomAt(std::pow(kPerNotch, event->angleDelta().y() / 120.0), event->position());
    event->accept();
}

// Keyboard

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
        order.erase(std::remove_if(order.begin(), order.end(), [this](const QString& k) { return !m_scene->element(k.toStdString()); }), order.end());
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
        : key == Qt::Key_Right               ? QPointF(step, 0)
        : key == Qt::Key_Up                  ? QPointF(0, -step)
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

void TopologyView::escape()
{
    if (!m_armed.isEmpty()) {
        armPreset({});
    } else if (!m_linkSource.empty()) {
        clearLink();
        showToolHint();
    } else if (m_tool != Tool::Select) {
        setTool(Tool::Select);
    } else {
        m_scene->setCurrent({});
        m_scene->select({});
    }
}

void TopologyView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Escape:
        escape();
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

// Drag and drop

void TopologyView::dragEnterEvent(QDragEnterEvent* event)
{
    const QString key = draggedPreset(event->mimeData());
    if (presetKey(*m_catalog, key).kind == PresetKind::None) {
        event->ignore();
        return;
    }
    event->acceptProposedAction();
    moveGhost(key, mapToScene(event->position().toPoint()));
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

// The frame

void TopologyView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    if (m_autoFit)
        fit();
    layoutOverlays();
}

void TopologyView::scrollContentsBy(int dx, int dy)
{
    QGraphicsView::scrollContentsBy(dx, dy);
    if (m_map)
        viewChanged();
}

void TopologyView::changeEvent(QEvent* event)
{
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        viewport()->update();
    } else if (event->type() == QEvent::FontChange && m_legend) {
        m_scene->setValue(m_value); // labels are measured in the font
        layoutOverlays();
    }
}

} // namespace stratoplan
