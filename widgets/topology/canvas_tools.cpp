// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_tools.h"

#include "widgets/topology/ghost_card.h"
#include "widgets/topology/link_tool.h"
#include "widgets/topology/preset_key.h"
#include "widgets/topology/rack_frames.h"
#include "widgets/topology/topology_scene.h"
#include "widgets/topology/topology_text.h"

#include <utility>

namespace stratoplan::widgets {

CanvasTools::CanvasTools(const catalog::Catalog& catalog, TopologyScene& scene, QObject* parent)
    : QObject(parent)
    , m_catalog(catalog)
    , m_scene(scene)
    , m_link(new LinkTool(catalog, scene, this))
    , m_ghost(new GhostCard)
{
    m_ghost->hide();
    m_scene.addItem(m_ghost);
    connect(m_link, &LinkTool::aimless, this, &CanvasTools::hintChanged);
}

Qt::CursorShape CanvasTools::cursor() const
{
    return m_tool == Tool::Select ? Qt::ArrowCursor : m_tool == Tool::Link ? Qt::CrossCursor : Qt::OpenHandCursor;
}

void CanvasTools::setTool(Tool tool)
{
    if (!m_armed.isEmpty())
        arm({});
    m_link->clear();
    m_tool = tool;
    m_scene.racks().setKeepsOpen(tool == Tool::Link);
    Q_EMIT toolChanged();
    Q_EMIT cursorChanged(cursor());
    const QStringList keys = m_scene.selectedKeys();
    if (tool == Tool::Link && keys.size() == 1 && m_scene.element(keys.constFirst().toStdString()))
        m_link->start(keys.constFirst().toStdString());
    Q_EMIT hintChanged();
}

void CanvasTools::arm(const QString& key)
{
    const bool had = !m_armed.isEmpty();
    m_armed = presetKey(m_catalog, key).kind == PresetKind::None ? QString() : key;
    if (!m_armed.isEmpty() && m_tool != Tool::Select) {
        const QString keep = std::exchange(m_armed, {});
        setTool(Tool::Select);
        m_armed = keep;
    }
    Q_EMIT cursorChanged(m_armed.isEmpty() ? Qt::ArrowCursor : Qt::CrossCursor);
    if (m_armed.isEmpty())
        m_ghost->hide();
    Q_EMIT hintChanged();
    if (had && m_armed.isEmpty())
        Q_EMIT disarmed();
}

bool CanvasTools::showLanding(const QString& key, const QPointF& scenePosition)
{
    const PresetKey preset = presetKey(m_catalog, key);
    m_ghost->aim(m_catalog, m_scene.value(), preset, {scenePosition.x(), scenePosition.y()});
    return preset.kind != PresetKind::None;
}

void CanvasTools::hideLanding()
{
    m_ghost->hide();
}

QString CanvasTools::hint() const
{
    if (!m_armed.isEmpty())
        return tr("Click to place %1, Esc to stop").arg(presetName(m_catalog, presetKey(m_catalog, m_armed)));
    if (m_tool != Tool::Link)
        return {};
    if (!m_link->hasSource())
        return tr("Drag from one element to another, or Tab to one and press Enter");
    return tr("Link %1 to: click the other element, or Tab to it and press Enter")
        .arg(fromText(elementName(m_scene.value().cluster, m_link->source())));
}

bool CanvasTools::giveUp()
{
    if (!m_armed.isEmpty()) {
        arm({});
    } else if (m_link->hasSource()) {
        m_link->clear();
        Q_EMIT hintChanged();
    } else if (m_tool != Tool::Select) {
        setTool(Tool::Select);
    } else {
        return false;
    }
    return true;
}

bool CanvasTools::press(const QPointF& scenePosition)
{
    if (!m_armed.isEmpty()) {
        const QString key = m_armed;
        arm({});
        Q_EMIT presetPlaced(key, scenePosition);
        return true;
    }
    if (m_tool == Tool::Link)
        m_link->press(scenePosition);
    return m_tool == Tool::Link;
}

bool CanvasTools::move(const QPointF& scenePosition)
{
    if (!m_armed.isEmpty())
        return showLanding(m_armed, scenePosition);
    const bool linking = m_tool == Tool::Link && m_link->hasSource();
    if (linking)
        m_link->move(scenePosition);
    return linking;
}

bool CanvasTools::release(const QPointF& scenePosition)
{
    if (m_tool == Tool::Link)
        m_link->release(scenePosition);
    return m_tool == Tool::Link;
}

} // namespace stratoplan::widgets
