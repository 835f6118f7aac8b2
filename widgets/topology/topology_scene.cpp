// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/topology_scene.h"

#include "widgets/panels/torus_field.h"
#include "widgets/topology/card_drag.h"
#include "widgets/topology/connection_labels.h"
#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/rack_frames.h"
#include "widgets/topology/topology_text.h"

#include <algorithm>
#include <numeric>

namespace stratoplan::widgets {

namespace {

/// The links inside, and how far they reach: of a torus the slice that these nodes have.
QString scaleUpCaption(const cluster::NodeGroup& g)
{
    const QString link = fromText(g.scaleUp.name);
    if (g.torus && isValid(*g.torus)) {
        const int accelerators = std::min(g.scaleUpDomain, std::max(1, g.acceleratorsPerNode * g.count));
        return TopologyScene::tr("%1 · torus %2").arg(link, axesText(slice(*g.torus, accelerators).axes));
    }
    return g.scaleUpDomain > g.acceleratorsPerNode
        ? TopologyScene::tr("%1 · domain of %2").arg(link, groupedNumber(g.scaleUpDomain))
        : link;
}

CardContent nodeContent(const cluster::NodeGroup& g, const FamilyColours& colours)
{
    CardContent c;
    c.kind = ElementKind::Nodes;
    c.name = fromText(g.name.empty() ? g.id : g.name);
    c.count = g.count;
    c.accelerators = g.acceleratorsPerNode;
    c.domain = g.scaleUpDomain;
    c.colour = colours.index(g.accelerator.id);
    c.captions = {TopologyScene::tr("%1 × %2").arg(groupedNumber(g.acceleratorsPerNode), fromText(g.accelerator.name)),
        scaleUpCaption(g)};
    return c;
}

CardContent switchContent(const cluster::SwitchGroup& s, long long usedPorts)
{
    CardContent c;
    c.kind = ElementKind::Switches;
    c.name = fromText(s.name.empty() ? s.id : s.name);
    c.count = s.count;
    const long long ports = static_cast<long long>(s.count) * s.ports;
    c.portUse = ports > 0 ? static_cast<double>(usedPorts) / static_cast<double>(ports) : 0;
    c.captions = {TopologyScene::tr("%1 of %2 ports").arg(groupedNumber(usedPorts), groupedNumber(ports))};
    return c;
}

long long cables(const cluster::Cluster& cluster, const std::vector<std::size_t>& connections)
{
    return std::accumulate(connections.begin(), connections.end(), 0LL,
        [&](long long sum, std::size_t i) { return sum + cluster.connections[i].cables; });
}

/// Top to bottom, then left to right.
bool standsBefore(const ElementItem* a, const ElementItem* b)
{
    if (a->pos().y() != b->pos().y())
        return a->pos().y() < b->pos().y();
    return a->pos().x() != b->pos().x() ? a->pos().x() < b->pos().x() : a->id() < b->id();
}

} // namespace

TopologyScene::TopologyScene(QObject* parent)
    : QGraphicsScene(parent)
    , m_overlays(new PlanOverlays(*this))
    , m_drag(new CardDrag(*this))
    , m_racks(new RackFrames(*this))
    , m_labels(std::make_unique<ConnectionLabels>(*this))
{
    addItem(m_drag);
    connect(this, &QGraphicsScene::selectionChanged, this, [this] {
        if (!m_syncing)
            showSelection();
    });
}

void TopologyScene::showSelection()
{
    emphasise();
    m_labels->place();
}

// The base class deletes the items, which tells of a changed selection: nobody here can listen any more.
TopologyScene::~TopologyScene()
{
    disconnect(this, nullptr, nullptr, nullptr);
}

void TopologyScene::setCatalog(const catalog::Catalog& catalog)
{
    m_colours = FamilyColours(catalog);
}

void TopologyScene::setValue(const CanvasValue& value)
{
    const QStringList selected = selectedKeys();
    m_syncing = true;
    QSignalBlocker blocker(this); // deleting selected items must not tell of half a scene
    m_drag->reset();
    m_value = value;
    m_keys = connectionKeys(value.cluster);
    m_incident.clear();
    for (std::size_t i = 0; i < value.cluster.connections.size(); ++i) {
        m_incident[value.cluster.connections[i].from].push_back(i);
        m_incident[value.cluster.connections[i].to].push_back(i);
    }
    syncElements();
    syncConnections();
    m_racks->apply();
    m_syncing = false;
    emphasise();
    refreshOverlays();
    if (!m_current.isEmpty() && !item(m_current))
        m_current.clear();
    if (selectedKeys() != selected) {
        blocker.unblock();
        Q_EMIT selectionChanged();
    }
}

void TopologyScene::syncElements()
{
    std::unordered_map<std::string, plan::Severity> issues;
    for (const ClusterIssue& issue : reviewCluster(m_value.cluster)) {
        if (!issue.element.empty())
            issues.try_emplace(issue.element, issue.severity); // the review lists the worst first
    }
    std::unordered_map<std::string, ElementItem*> kept;
    const auto show = [&](const std::string& id, CardContent content) {
        if (const auto issue = issues.find(id); issue != issues.end())
            content.issue = issue->second;
        ElementItem* item = element(id);
        if (!item) {
            item = new ElementItem(id, [this](const std::string& moved) { follow({moved}); });
            addItem(item);
        }
        item->setContent(content);
        if (const auto found = m_value.positions.find(id); found != m_value.positions.end())
            item->setPos(found->second.x, found->second.y);
        kept[id] = item;
        m_elements.erase(id);
    };
    for (const cluster::NodeGroup& g : m_value.cluster.nodes)
        show(g.id, nodeContent(g, m_colours));
    for (const cluster::SwitchGroup& s : m_value.cluster.switches) {
        const auto incident = m_incident.find(s.id);
        show(s.id, switchContent(s, incident == m_incident.end() ? 0 : cables(m_value.cluster, incident->second)));
    }
    for (const auto& [id, item] : m_elements)
        delete item;
    m_elements = std::move(kept);
}

void TopologyScene::syncConnections()
{
    std::unordered_map<std::string, ConnectionItem*> kept;
    std::set<std::size_t> all;
    for (std::size_t i = 0; i < m_keys.size(); ++i) {
        const cluster::Connection& c = m_value.cluster.connections[i];
        if (!m_elements.contains(c.from) || !m_elements.contains(c.to))
            continue;
        ConnectionItem* item = connection(m_keys[i]);
        if (!item) {
            item = new ConnectionItem(m_keys[i]);
            addItem(item);
        }
        const auto starved = [this](const std::string& id) { return m_elements.at(id)->content().portUse > 1; };
        item->setContent(c.link.kind, connectionWidth(c.link.bandwidth * static_cast<double>(c.cables)),
            starved(c.from) || starved(c.to));
        kept[m_keys[i]] = item;
        m_connections.erase(m_keys[i]);
        all.insert(i);
    }
    for (const auto& [key, item] : m_connections)
        delete item;
    m_connections = std::move(kept);
    m_ends.assign(m_keys.size(), {});
    for (const auto& [id, item] : m_elements)
        computeAnchors(id);
    applyCurves(all);
}

void TopologyScene::refreshOverlays()
{
    m_overlays->apply();
    m_labels->place();
}

plan::CanvasPositions TopologyScene::currentPositions() const
{
    plan::CanvasPositions positions;
    for (const auto& [id, item] : m_elements)
        positions[id] = {item->pos().x(), item->pos().y()};
    return positions;
}

ElementItem* TopologyScene::element(const std::string& id) const
{
    const auto it = m_elements.find(id);
    return it == m_elements.end() ? nullptr : it->second;
}

ConnectionItem* TopologyScene::connection(const std::string& key) const
{
    const auto it = m_connections.find(key);
    return it == m_connections.end() ? nullptr : it->second;
}

ConnectionLabel* TopologyScene::label(const std::string& key) const
{
    return m_labels->label(key);
}

ElementItem* TopologyScene::elementAt(const QPointF& scenePosition) const
{
    for (QGraphicsItem* each : items(scenePosition)) {
        if (each->type() == ElementItem::Type)
            return static_cast<ElementItem*>(each);
    }
    return nullptr;
}

QStringList TopologyScene::selectedKeys() const
{
    QStringList keys;
    for (const std::string& id : elementIds(m_value.cluster)) {
        if (const ElementItem* e = element(id); e && e->isSelected())
            keys << fromText(id);
    }
    for (const std::string& key : m_keys) {
        if (const ConnectionItem* c = connection(key); c && c->isSelected())
            keys << fromText(key);
    }
    return keys;
}

void TopologyScene::select(const QStringList& keys)
{
    m_syncing = true; // one signal for the whole change, below
    {
        const QSignalBlocker blocker(this);
        clearSelection();
        for (const QString& key : keys) {
            if (QGraphicsItem* each = item(key))
                each->setSelected(true);
        }
    }
    m_syncing = false;
    Q_EMIT selectionChanged();
}

void TopologyScene::selectAt(const QPointF& scenePosition)
{
    if (const RackFrame* frame = m_racks->frameAt(scenePosition)) {
        if (frame->chosen() != RackFrame::Chosen::All)
            m_racks->select(*frame, RackFrames::Selecting::Only);
        return;
    }
    const auto under = items(scenePosition);
    const auto it = std::find_if(under.begin(), under.end(),
        [](const QGraphicsItem* each) { return each->flags() & QGraphicsItem::ItemIsSelectable; });
    if (it == under.end()) {
        select({});
    } else if (!(*it)->isSelected()) {
        clearSelection();
        (*it)->setSelected(true);
    }
}

QGraphicsItem* TopologyScene::item(const QString& key) const
{
    const std::string text = key.toStdString();
    if (ElementItem* e = element(text))
        return e;
    return connection(text);
}

QStringList TopologyScene::walkOrder() const
{
    std::vector<const ElementItem*> sorted;
    for (const auto& [id, item] : m_elements)
        sorted.push_back(item);
    std::sort(sorted.begin(), sorted.end(), standsBefore);
    QStringList keys;
    for (const ElementItem* item : sorted)
        keys << fromText(item->id());
    for (const std::string& key : m_keys) {
        if (connection(key))
            keys << fromText(key);
    }
    return keys;
}

QRectF TopologyScene::contentRect() const
{
    QRectF rect;
    for (const auto& [id, item] : m_elements)
        rect |= item->sceneCard().adjusted(-12, -24, 24, 8);
    return rect | m_racks->bounds();
}

void TopologyScene::setCurrent(const QString& key)
{
    const auto apply = [this](const QString& which, bool on) {
        if (ElementItem* e = element(which.toStdString()))
            e->setMark(on ? CardMark::Current : CardMark::None);
        else if (ConnectionItem* c = connection(which.toStdString()))
            c->setCurrent(on);
    };
    apply(m_current, false);
    m_current = key;
    apply(m_current, true);
}

} // namespace stratoplan::widgets
