// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_keys.h"

#include "widgets/topology/canvas_tools.h"
#include "widgets/topology/canvas_view.h"
#include "widgets/topology/link_tool.h"
#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/topology_scene.h"
#include "widgets/topology/topology_text.h"

#include <QKeyEvent>

#include <utility>

namespace stratoplan::widgets {

namespace {

using Tool = CanvasTools::Tool;

constexpr int kWalkMargin = 24;

/// By a step of the grid, with Shift by eight.
QPointF nudgeOf(const QKeyEvent& event)
{
    const double step = event.modifiers() & Qt::ShiftModifier ? 8 * kCanvasGrid : kCanvasGrid;
    return event.key() == Qt::Key_Left ? QPointF(-step, 0)
        : event.key() == Qt::Key_Right ? QPointF(step, 0)
        : event.key() == Qt::Key_Up    ? QPointF(0, -step)
                                       : QPointF(0, step);
}

int columnsOf(int arrow)
{
    return arrow == Qt::Key_Left ? -1 : arrow == Qt::Key_Right ? 1 : 0;
}

int rowsOf(int arrow)
{
    return arrow == Qt::Key_Up ? -1 : arrow == Qt::Key_Down ? 1 : 0;
}

/// The key after (before) `from`; where that is none of them the first (last). Empty: past the end.
QString walkedTo(const QStringList& order, const QString& from, bool next)
{
    const qsizetype now = order.indexOf(from);
    return order.value(now < 0 ? (next ? 0 : order.size() - 1) : now + (next ? 1 : -1));
}

} // namespace

CanvasKeys::CanvasKeys(TopologyScene& scene, CanvasTools& tools, CanvasView& view)
    : QObject(&view)
    , m_scene(scene)
    , m_tools(tools)
    , m_view(view)
{
}

bool CanvasKeys::step(bool next)
{
    QStringList order = m_scene.walkOrder();
    if (m_tools.tool() == Tool::Link)
        order.removeIf([this](const QString& key) { return !m_scene.element(key.toStdString()); });
    const QStringList selected = m_scene.selectedKeys();
    QString from = m_scene.current();
    if (from.isEmpty() && !selected.isEmpty())
        from = next ? selected.constLast() : selected.constFirst();
    const QString key = walkedTo(order, from, next);
    m_scene.setCurrent(key);
    if (key.isEmpty())
        return false;
    Q_EMIT reached(key);
    if (const QGraphicsItem* item = m_scene.item(key))
        m_view.bringIntoView(*item, kWalkMargin);
    if (m_tools.tool() == Tool::Select) {
        m_scene.select({key});
    } else if (m_tools.tool() == Tool::Link && m_tools.link().hasSource()) {
        const ElementItem* element = m_scene.element(key.toStdString());
        m_tools.link().aim(element->id(), element->sceneCard().bottomLeft());
    }
    return true;
}

void CanvasKeys::enter(bool next)
{
    const QStringList selected = m_scene.selectedKeys();
    if (!selected.isEmpty())
        m_scene.setCurrent(selected.constFirst());
    else
        step(next);
}

bool CanvasKeys::press(QKeyEvent& event)
{
    switch (event.key()) {
    case Qt::Key_Escape:
        event.setAccepted(giveUp());
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        activate();
        break;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (walksTrace() && m_scene.overlays().moveTrace(columnsOf(event.key()), rowsOf(event.key())))
            Q_EMIT reached(fromText(m_scene.overlays().tracedCard())); // its name tells what is traced
        else
            nudge(nudgeOf(event));
        break;
    default:
        return false;
    }
    event.accept();
    return true;
}

/// Another card that is selected is moved.
bool CanvasKeys::walksTrace() const
{
    const QStringList selected = m_scene.selectedKeys();
    return selected.isEmpty() || selected == QStringList{fromText(m_scene.overlays().tracedCard())};
}

void CanvasKeys::nudge(const QPointF& delta)
{
    std::vector<std::pair<std::string, QPointF>> places;
    for (const QString& key : m_scene.selectedKeys()) {
        if (const ElementItem* item = m_scene.element(key.toStdString()))
            places.emplace_back(item->id(), item->pos() + delta);
    }
    m_nudged = m_nudged || !places.empty();
    if (places.empty())
        m_view.pan((delta * 4).toPoint());
    else
        m_scene.moveCards(places);
}

void CanvasKeys::endNudge()
{
    if (std::exchange(m_nudged, false))
        Q_EMIT nudged();
}

void CanvasKeys::activate()
{
    const QString key = !m_scene.current().isEmpty() ? m_scene.current() : m_scene.selectedKeys().value(0);
    if (key.isEmpty())
        return;
    if (m_tools.tool() != Tool::Link)
        Q_EMIT editWanted(key);
    else if (m_scene.element(key.toStdString()))
        m_tools.link().take(key.toStdString());
}

bool CanvasKeys::giveUp()
{
    if (m_tools.giveUp() || m_scene.overlays().endTrace())
        return true;
    if (m_scene.selectedKeys().isEmpty())
        return false; // the window may have a use for it
    m_scene.setCurrent({});
    m_scene.select({});
    return true;
}

} // namespace stratoplan::widgets
