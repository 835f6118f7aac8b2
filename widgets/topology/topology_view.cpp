// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/topology_view.h"

#include "widgets/style/theme.h"
#include "widgets/topology/canvas_clipboard.h"
#include "widgets/topology/canvas_keys.h"
#include "widgets/topology/canvas_plates.h"
#include "widgets/topology/canvas_tools.h"
#include "widgets/topology/link_tool.h"
#include "widgets/topology/preset_key.h"
#include "widgets/topology/rack_frames.h"
#include "widgets/topology/rack_layout.h"
#include "widgets/topology/rack_naming.h"
#include "widgets/topology/topology_accessible.h"
#include "widgets/topology/topology_text.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QDragEnterEvent>
#include <QMenu>
#include <QMimeData>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

QString draggedPreset(const QMimeData* data)
{
    const QString type = QString::fromLatin1(kPresetMimeType);
    return data->hasFormat(type) ? QString::fromUtf8(data->data(type)) : QString();
}

plan::CanvasPosition toPosition(const QPointF& point)
{
    return {point.x(), point.y()};
}

/// Room for a card near there, in no rack that happens to be in view.
QPointF besideRacks(const CanvasValue& value, const QPointF& wish)
{
    const plan::CanvasPosition place = freePlace(value, cardSize(ElementKind::Nodes), toPosition(wish));
    return {place.x, place.y};
}

} // namespace

TopologyView::TopologyView(const catalog::Catalog& catalog, QWidget* parent)
    : CanvasView(parent)
    , m_catalog(&catalog)
    , m_scene(new TopologyScene(this))
    , m_tools(new CanvasTools(catalog, *m_scene, this))
    , m_keys(new CanvasKeys(*m_scene, *m_tools, *this))
    , m_clipboard(new CanvasClipboard(catalog, *m_scene, this))
{
    m_scene->setCatalog(catalog);
    setScene(m_scene);
    setAccessibleName(tr("Cluster canvas"));
    setAccessibleDescription(
        tr("Tab walks over elements and links, arrow keys move, Enter edits, L links, Delete removes"));
    setDragMode(QGraphicsView::RubberBandDrag);
    setRubberBandSelectionMode(Qt::IntersectsItemShape);
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(true);
    setMinimumSize(240, 180);
    installTopologyAccessibility();
    m_actions = makeCanvasActions(*this);
    m_plates = std::make_unique<CanvasPlates>(*this, *m_scene);
    fillToolBar(*m_plates, m_actions, *this);
    connectTools();
    setCluster({}, {});
}

TopologyView::~TopologyView()
{
    // The scene dies after this class's part of the object; nothing of it may report here any more.
    m_scene->disconnect(this);
    delete m_actions.racks.naming; // its editor loses the focus
}

void TopologyView::connectTools()
{
    connect(&m_plates->map(), &CanvasMap::centreRequested, this, &TopologyView::centreOn);
    connect(m_keys, &CanvasKeys::reached, this, [this](const QString& key) { announceCurrent(*this, key); });
    connect(m_keys, &CanvasKeys::editWanted, this, &TopologyView::editRequested);
    connect(m_keys, &CanvasKeys::nudged, this, &TopologyView::commitMoves);
    connect(m_tools, &CanvasTools::toolChanged, this, [this] {
        m_actions.select->setChecked(tool() == Tool::Select);
        m_actions.link->setChecked(tool() == Tool::Link);
        m_actions.pan->setChecked(tool() == Tool::Pan);
        setDragMode(tool() == Tool::Select ? QGraphicsView::RubberBandDrag : QGraphicsView::NoDrag);
    });
    connect(m_tools, &CanvasTools::cursorChanged, viewport(),
        [this](Qt::CursorShape cursor) { viewport()->setCursor(cursor); });
    connect(m_tools, &CanvasTools::hintChanged, this, [this] { m_plates->setToolHint(m_tools->hint()); });
    connect(m_tools, &CanvasTools::disarmed, this, &TopologyView::presetDisarmed);
    connect(m_tools, &CanvasTools::presetPlaced, this, &TopologyView::placePresetAt);
    connect(&m_tools->link(), &LinkTool::aimed, this, [this](const LinkVerdict& verdict, const QRectF& card) {
        m_plates->showHintAt(mapFromScene(card).boundingRect(), verdict.possible() ? HintKind::Good : HintKind::Bad,
            describe(m_value.cluster, verdict));
    });
    connect(&m_tools->link(), &LinkTool::linked, this, [this](const CanvasEdit& edit) { propose(edit); });
    connect(m_clipboard, &CanvasClipboard::edited, this, [this](const CanvasEdit& edit) {
        propose(edit);
        for (const QString& key : selection()) // nothing is pasted out of sight
            if (const QGraphicsItem* copy = m_scene->item(key))
                bringIntoView(*copy, kCanvasMargin);
    });
    connect(m_scene, &QGraphicsScene::selectionChanged, this, [this] {
        updateCanvasActions(m_actions, *this);
        Q_EMIT selectionChanged(selection());
    });
}

void TopologyView::setCluster(const cluster::Cluster& cluster, const plan::CanvasPositions& positions)
{
    CanvasValue next{cluster, completed(cluster, positions)};
    if (m_revision > 0 && next == m_value)
        return; // something else of the plan was edited: what is in hand here stays
    ++m_revision;
    const bool anew = isAnother(m_value, next);
    m_value = std::move(next);
    m_tools->link().clear();
    m_keys->forgetNudge();
    m_scene->setValue(m_value);
    m_plates->setValue(m_value);
    updateCanvasActions(m_actions, *this);
    const QRectF content = m_scene->contentRect();
    constexpr double kRoom = 4000; // to pan beyond what is there
    setSceneRect(content.adjusted(-kRoom, -kRoom, kRoom, kRoom));
    if (anew)
        fit();
    if (!m_selectAfter.isEmpty())
        m_scene->select(std::exchange(m_selectAfter, {}));
    m_plates->place();
    viewChanged();
}

void TopologyView::propose(const CanvasEdit& edit)
{
    const quint64 revision = m_revision;
    m_selectAfter = edit.selectAfter;
    Q_EMIT clusterEdited(edit.next.cluster, edit.next.positions, edit.name);
    if (m_revision == revision) {
        // Nobody took the edit: show what still holds.
        m_selectAfter.clear();
        m_scene->setValue(m_value);
    } else if (!edit.shortfall.isEmpty()) {
        Q_EMIT refused(edit.shortfall);
    } else if (!edit.notice.isEmpty()) {
        Q_EMIT noticed(edit.notice);
    }
}

void TopologyView::propose(const std::optional<CanvasEdit>& edit)
{
    if (edit)
        propose(*edit);
}

void TopologyView::commitMoves()
{
    propose(movedCards(m_value, m_scene->currentPositions(), m_scene->racks().moves()));
}

void TopologyView::commitPending()
{
    m_actions.racks.naming->commit();
}

void TopologyView::removeSelection()
{
    propose(removedKeys(m_value, selection()));
}

void TopologyView::rearrange(const std::optional<CanvasEdit>& edit)
{
    keepAllInView();
    propose(edit);
    fit();
}

void TopologyView::placePreset(const QString& key)
{
    armPreset({}); // the first click of a double click armed it
    placePresetAt(key, besideRacks(m_value, mapToScene(viewport()->rect().center())));
}

void TopologyView::placePresetAt(const QString& key, const QPointF& scenePosition)
{
    const auto edit = placedPreset(*m_catalog, m_value, key, toPosition(scenePosition));
    if (!edit)
        return;
    if (edit->selectAfter.isEmpty()) { // a cluster
        rearrange(edit);
        return;
    }
    const QStringList placed = m_value.positions.empty() ? QStringList() : edit->selectAfter;
    propose(*edit);
    for (const QString& each : placed)
        if (const QGraphicsItem* item = m_scene->item(each))
            bringIntoView(*item, kCanvasMargin);
}

void TopologyView::setSelection(const QStringList& keys)
{
    if (keys != selection())
        m_scene->select(keys);
}

void TopologyView::showElement(const QString& key)
{
    setSelection({key});
    if (const QGraphicsItem* item = m_scene->item(key))
        showItem(*item);
}

CanvasToolBar& TopologyView::toolBar() const
{
    return m_plates->toolBar();
}

QString TopologyView::hintText() const
{
    return m_plates->hintText();
}

void TopologyView::fit()
{
    fitTo(m_scene->contentRect(), m_plates->roomBelow());
}

void TopologyView::viewChanged()
{
    m_scene->racks().setZoom(zoom());
    if (m_plates)
        m_plates->setView(*m_scene, mapToScene(viewport()->rect()).boundingRect(), zoom());
}

void TopologyView::resizeEvent(QResizeEvent* event)
{
    CanvasView::resizeEvent(event);
    if (keepsAllInView())
        fit();
    m_plates->place();
    viewChanged();
}

void TopologyView::changeEvent(QEvent* event)
{
    CanvasView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        viewport()->update();
    } else if (event->type() == QEvent::FontChange && m_plates) {
        m_scene->setValue(m_value); // labels are measured in the font
        m_plates->place();
        viewChanged();
    }
}

void TopologyView::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    fillCanvasMenu(menu, m_actions, *this);
    menu.exec(event->globalPos());
}

void TopologyView::mousePressEvent(QMouseEvent* event)
{
    const QPointF place = mapToScene(event->position().toPoint());
    if (panPressed(*event, tool() == Tool::Pan))
        return;
    m_scene->setCurrent({});
    if (event->button() == Qt::RightButton) {
        m_scene->selectAt(place); // the menu is about what lies under the pointer
    } else if (event->button() != Qt::LeftButton || !m_tools->press(place)) {
        CanvasView::mousePressEvent(event);
    }
}

void TopologyView::mouseMoveEvent(QMouseEvent* event)
{
    if (panMoved(*event))
        return;
    if (!m_tools->move(mapToScene(event->position().toPoint())))
        CanvasView::mouseMoveEvent(event);
}

void TopologyView::mouseReleaseEvent(QMouseEvent* event)
{
    if (panReleased(m_tools->cursor()) || m_tools->release(mapToScene(event->position().toPoint())))
        return;
    CanvasView::mouseReleaseEvent(event);
    if (event->button() == Qt::LeftButton)
        commitMoves();
}

void TopologyView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const QPoint at = event->position().toPoint();
    const QStringList keys = selection();
    if (tool() != Tool::Select || !armedPreset().isEmpty()) // a second press
        mousePressEvent(event);
    else if (event->button() == Qt::LeftButton && keys.size() == 1 && itemAt(at)
        && !m_scene->racks().frameAt(mapToScene(at)))
        Q_EMIT editRequested(keys.constFirst());
    else
        CanvasView::mouseDoubleClickEvent(event);
}

void TopologyView::dragEnterEvent(QDragEnterEvent* event)
{
    dragMoveEvent(event);
}

void TopologyView::dragMoveEvent(QDragMoveEvent* event)
{
    const bool possible =
        m_tools->showLanding(draggedPreset(event->mimeData()), mapToScene(event->position().toPoint()));
    if (possible)
        event->acceptProposedAction();
    else
        event->ignore();
}

void TopologyView::dragLeaveEvent(QDragLeaveEvent* event)
{
    m_tools->hideLanding();
    event->accept();
}

void TopologyView::dropEvent(QDropEvent* event)
{
    m_tools->hideLanding();
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

bool TopologyView::focusNextPrevChild(bool next)
{
    // Buttons above the canvas ask their parent too; the walk over elements is only for the canvas itself.
    if (hasFocus() && m_keys->step(next))
        return true;
    return CanvasView::focusNextPrevChild(next);
}

void TopologyView::keyPressEvent(QKeyEvent* event)
{
    if (!m_keys->press(*event))
        CanvasView::keyPressEvent(event);
}

void TopologyView::keyReleaseEvent(QKeyEvent* event)
{
    if (!event->isAutoRepeat())
        m_keys->endNudge();
    CanvasView::keyReleaseEvent(event);
}

void TopologyView::focusInEvent(QFocusEvent* event)
{
    CanvasView::focusInEvent(event);
    if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
        m_keys->enter(event->reason() == Qt::TabFocusReason);
}

void TopologyView::focusOutEvent(QFocusEvent* event)
{
    m_keys->endNudge();
    if (event->reason() != Qt::PopupFocusReason)
        m_scene->setCurrent({});
    CanvasView::focusOutEvent(event);
}

} // namespace stratoplan::widgets
