// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/plan_overlays.h"

#include "widgets/presentation/numbers.h"
#include "widgets/topology/busy_text.h"
#include "widgets/topology/node_map.h"
#include "widgets/topology/rack_frame.h"
#include "widgets/topology/topology_scene.h"
#include "widgets/topology/topology_text.h"

#include <QApplication>
#include <QGraphicsSceneHelpEvent>
#include <QGraphicsSceneMouseEvent>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace stratoplan::widgets {

namespace {

/// Whether the button went up where it went down.
bool isClick(const QGraphicsSceneMouseEvent& event)
{
    return event.button() == Qt::LeftButton && event.modifiers() == Qt::NoModifier
        && (event.screenPos() - event.buttonDownScreenPos(Qt::LeftButton)).manhattanLength()
        < QApplication::startDragDistance();
}

int acceleratorAt(const ElementItem& item, const QPointF& scenePosition)
{
    const NodeMap* map = item.map();
    return map && map->isColoured() ? map->grid().acceleratorAt(scenePosition - item.pos() - item.mapArea().topLeft())
                                    : -1;
}

} // namespace

PlanOverlays::PlanOverlays(TopologyScene& scene)
    : QObject(&scene)
    , m_scene(scene)
{
    scene.installEventFilter(this);
}

void PlanOverlays::setPlan(std::optional<RunningPlan> plan)
{
    if (plan == m_plan)
        return;
    m_plan = std::move(plan);
    if (m_axis || m_showsLoad) // else nothing of it is drawn
        m_scene.refreshOverlays();
}

void PlanOverlays::setAxis(std::optional<parallel::Axis> axis)
{
    if (axis == m_axis)
        return;
    m_axis = axis;
    m_trace.reset();
    m_scene.refreshOverlays();
}

void PlanOverlays::setShowsLoad(bool shows)
{
    if (shows == m_showsLoad)
        return;
    m_showsLoad = shows;
    m_scene.refreshOverlays();
}

int PlanOverlays::places() const
{
    return m_axis && m_ranks ? m_ranks->size(*m_axis) : 0;
}

bool PlanOverlays::hasIdle() const
{
    return m_ranks && m_ranks->ranks() < acceleratorCount(m_scene.value().cluster);
}

void PlanOverlays::trace(const std::string& nodes, int accelerator)
{
    const auto first = m_ranks ? m_ranks->firstRank(nodes) : std::nullopt;
    if (!m_axis || !first)
        return;
    const int rank = *first + accelerator;
    const std::vector<int> group = traced();
    if (std::ranges::binary_search(group, rank) || m_ranks->place(*m_axis, rank) < 0)
        m_trace.reset();
    else
        m_trace = Trace{nodes, accelerator};
    m_scene.refreshOverlays();
}

void PlanOverlays::toggleTrace(const std::string& nodes)
{
    if (!endTrace())
        trace(nodes, 0);
}

bool PlanOverlays::moveTrace(int right, int down)
{
    const ElementItem* item = m_trace ? m_scene.element(m_trace->nodes) : nullptr;
    if (!item || !item->map())
        return false;
    const int to = item->map()->grid().neighbour(m_trace->accelerator, right, down);
    if (m_ranks->place(*m_axis, *m_ranks->firstRank(m_trace->nodes) + to) >= 0)
        m_trace->accelerator = to;
    m_scene.refreshOverlays();
    return true;
}

bool PlanOverlays::endTrace()
{
    if (!std::exchange(m_trace, std::nullopt))
        return false;
    m_scene.refreshOverlays();
    return true;
}

std::vector<int> PlanOverlays::traced() const
{
    return m_trace ? m_ranks->group(*m_axis, *m_ranks->firstRank(m_trace->nodes) + m_trace->accelerator)
                   : std::vector<int>();
}

void PlanOverlays::rebuild()
{
    const cluster::Cluster& cluster = m_scene.value().cluster;
    m_ranks.reset();
    if (m_plan)
        m_ranks.emplace(cluster, m_plan->strategy);
    if (!m_trace)
        return;
    // What is traced may be gone, or idle now.
    const cluster::NodeGroup* nodes = findNodes(cluster, m_trace->nodes);
    const auto first = m_ranks ? m_ranks->firstRank(m_trace->nodes) : std::nullopt;
    if (!nodes || !first || m_trace->accelerator >= nodes->count * nodes->acceleratorsPerNode
        || m_ranks->place(*m_axis, *first + m_trace->accelerator) < 0)
        m_trace.reset();
}

void PlanOverlays::tell()
{
    Shown shown{m_axis, m_showsLoad, places(), hasIdle(), traceText()};
    if (shown == m_shown)
        return;
    m_shown = std::move(shown);
    Q_EMIT changed();
}

void PlanOverlays::apply()
{
    rebuild();
    const cluster::Cluster& cluster = m_scene.value().cluster;
    for (const cluster::NodeGroup& nodes : cluster.nodes)
        if (ElementItem* item = m_scene.element(nodes.id))
            showMap(*item, nodes);
    for (const std::string& key : connectionKeys(cluster))
        if (ConnectionItem* item = m_scene.connection(key)) {
            const estimate::LinkLoad* load = m_showsLoad ? loadOf(key) : nullptr;
            item->setLoad(load ? std::optional(load->share) : std::nullopt);
        }
    tell();
}

void PlanOverlays::showMap(ElementItem& item, const cluster::NodeGroup& nodes) const
{
    NodeMapContent content{nodes.count, nodes.acceleratorsPerNode};
    const auto first = m_axis && m_ranks ? m_ranks->firstRank(nodes.id) : std::nullopt;
    if (first) {
        const int count = nodes.count * nodes.acceleratorsPerNode;
        content.size = places();
        content.isTracing = isTracing();
        for (int i = 0; i < count; ++i)
            content.places.push_back(m_ranks->place(*m_axis, *first + i));
        for (const int rank : traced())
            if (rank >= *first && rank < *first + count)
                content.traced.push_back(rank - *first);
        if (m_trace && m_trace->nodes == nodes.id)
            content.at = m_trace->accelerator;
    }
    if (!item.map() || item.map()->content() != content)
        item.setMap(std::make_shared<NodeMap>(std::move(content), item.mapArea().size()));
}

QString PlanOverlays::traceText() const
{
    if (!m_trace)
        return {};
    return tr("%1 group of %2 · %3")
        .arg(rankAxisName(*m_axis), groupedNumber(qint64(traced().size())),
            describe(m_trace->nodes, m_trace->accelerator));
}

QString PlanOverlays::describe(const std::string& nodes, int accelerator) const
{
    const cluster::NodeGroup* group = findNodes(m_scene.value().cluster, nodes);
    const auto first = m_ranks ? m_ranks->firstRank(nodes) : std::nullopt;
    return group && first ? m_ranks->describe(*first + accelerator, accelerator, group->acceleratorsPerNode)
                          : QString();
}

QString PlanOverlays::describeAt(const QPointF& scenePosition) const
{
    const ElementItem* item = m_scene.elementAt(scenePosition);
    const int accelerator = item ? acceleratorAt(*item, scenePosition) : -1;
    return accelerator < 0 ? QString() : describe(item->id(), accelerator);
}

QString PlanOverlays::describe(const std::string& key) const
{
    const cluster::Cluster& cluster = m_scene.value().cluster;
    if (const auto index = connectionIndex(cluster, key)) {
        const QString cables = describeConnection(cluster, cluster.connections[*index]);
        const estimate::LinkLoad* load = m_showsLoad ? loadOf(key) : nullptr;
        return load ? tr("%1. Busy %2. %3").arg(cables, busyText(*load, m_plan->step), busyExplanation(*load)) : cables;
    }
    const QString element = describeElement(cluster, key);
    const ElementItem* item = m_scene.element(key);
    return item && item->map() && item->map()->isColoured() ? tr("%1. %2").arg(element, ranksText(*item->map()))
                                                            : element;
}

QString PlanOverlays::ranksText(const NodeMap& map) const
{
    std::set<int> found(map.content().places.begin(), map.content().places.end());
    found.erase(-1);
    const auto idle = std::ranges::count(map.content().places, -1);
    QString text = found.empty()
        ? tr("No ranks")
        : tr("Coloured by %1: %2 of %3 places, %4 to %5")
              .arg(rankAxisName(*m_axis), groupedNumber(qint64(found.size())), groupedNumber(places()),
                  groupedNumber(*found.begin()), groupedNumber(*found.rbegin()));
    if (idle > 0)
        text += tr(", %1 accelerators idle").arg(groupedNumber(idle));
    if (m_trace)
        text += tr(". Traced: %1, %2 of it here").arg(traceText(), groupedNumber(qint64(map.content().traced.size())));
    return text;
}

void PlanOverlays::setToolTipAt(const QPointF& scenePosition) const
{
    // Sentences are made when somebody asks for one, not for thousands of elements at every change.
    for (QGraphicsItem* each : m_scene.items(scenePosition)) {
        if (each->type() == ElementItem::Type) {
            const QString accelerator = describeAt(scenePosition);
            each->setToolTip(accelerator.isEmpty() ? describe(static_cast<ElementItem*>(each)->id()) : accelerator);
            return;
        }
        if (each->type() == ConnectionItem::Type) {
            each->setToolTip(describe(static_cast<ConnectionItem*>(each)->key()));
            return;
        }
        if (RackFrame::shownBy(*each))
            return; // it has its own
    }
}

const estimate::LinkLoad* PlanOverlays::loadOf(const std::string& key) const
{
    if (!m_plan)
        return nullptr;
    const auto it = m_plan->loads.find(key);
    return it == m_plan->loads.end() ? nullptr : &it->second;
}

bool PlanOverlays::isNamed(const std::string& key) const
{
    return m_showsLoad && m_plan && !key.empty() && m_plan->busiest == key;
}

QString PlanOverlays::loadLabel(const std::string& key) const
{
    const estimate::LinkLoad* load = m_showsLoad ? loadOf(key) : nullptr;
    if (!load)
        return {};
    const QString share = (load->isBound ? tr("up to %1 %") : tr("%1 %")).arg(std::lround(load->share * 100));
    if (!isNamed(key))
        return share;
    const auto most = std::ranges::max_element(load->groups, {}, &estimate::GroupSeconds::seconds);
    return tr("busiest: %1 of the step, %2").arg(share, groupName(most->group));
}

bool PlanOverlays::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::GraphicsSceneMousePress)
        m_isPressed = true;
    if (event->type() == QEvent::GraphicsSceneMouseRelease) {
        const bool isPressed = std::exchange(m_isPressed, false); // not by the second press of a double click
        const auto& release = static_cast<const QGraphicsSceneMouseEvent&>(*event);
        const ElementItem* item = isPressed && isClick(release) ? m_scene.elementAt(release.scenePos()) : nullptr;
        if (const int accelerator = item ? acceleratorAt(*item, release.scenePos()) : -1; accelerator >= 0)
            trace(item->id(), accelerator);
    }
    if (event->type() == QEvent::GraphicsSceneHelp)
        setToolTipAt(static_cast<const QGraphicsSceneHelpEvent&>(*event).scenePos());
    return QObject::eventFilter(watched, event);
}

} // namespace stratoplan::widgets
