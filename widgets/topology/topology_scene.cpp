// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/topology_scene.h"

#include "widgets/topology/topology_text.h"

#include <QGraphicsSceneHelpEvent>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace stratoplan {

namespace {

constexpr std::size_t kMostLabels = 150; ///< with more connections only selected ones are labelled
constexpr double kAnchorStep = 22;

enum Side { Top, Bottom, Left, Right };

std::string family(const std::string& acceleratorId)
{
    return acceleratorId.substr(0, acceleratorId.find('-'));
}

/// The side of `card` that faces `other`.
Side facing(const QRectF& card, const QRectF& other)
{
    constexpr double kApart = 24;
    if (other.bottom() + kApart <= card.top())
        return Top;
    if (card.bottom() + kApart <= other.top())
        return Bottom;
    if (other.right() <= card.left())
        return Left;
    if (card.right() <= other.left())
        return Right;
    return other.center().y() < card.center().y() ? Top : Bottom;
}

Anchor anchorOn(const QRectF& card, Side side, double offset)
{
    switch (side) {
    case Top:
        return {{card.center().x() + offset, card.top()}, {0, -1}};
    case Bottom:
        return {{card.center().x() + offset, card.bottom()}, {0, 1}};
    case Left:
        return {{card.left(), card.center().y() + offset}, {-1, 0}};
    case Right:
        return {{card.right(), card.center().y() + offset}, {1, 0}};
    }
    return {};
}

std::string otherEnd(const Connection& c, const std::string& id)
{
    return c.from == id ? c.to : c.from;
}

} // namespace

TopologyScene::TopologyScene(QObject* parent)
    : QGraphicsScene(parent)
{
    connect(this, &QGraphicsScene::selectionChanged, this, [this] {
        if (!m_syncing)
            placeLabels();
    });
}

void TopologyScene::setCatalog(const Catalog& catalog)
{
    m_families.clear();
    for (const Accelerator& a : catalog.accelerators)
        m_families.try_emplace(family(a.id), static_cast<int>(m_families.size()));
}

int TopologyScene::colourIndex(const std::string& acceleratorId) const
{
    const auto it = m_families.find(family(acceleratorId));
    return it != m_families.end() ? it->second : static_cast<int>(std::hash<std::string>{}(acceleratorId) % 64);
}

CardContent TopologyScene::nodeContent(const NodeGroup& g) const
{
    CardContent c;
    c.kind = ElementKind::Nodes;
    c.name = fromText(g.name.empty() ? g.id : g.name);
    c.count = g.count;
    c.accelerators = g.acceleratorsPerNode;
    c.domain = g.scaleUpDomain;
    c.colour = colourIndex(g.accelerator.id);
    c.captions = {tr("%1 × %2").arg(groupedNumber(g.acceleratorsPerNode), fromText(g.accelerator.name)),
        g.scaleUpDomain > g.acceleratorsPerNode ? tr("%1 · domain of %2").arg(fromText(g.scaleUp.name), groupedNumber(g.scaleUpDomain))
                                                : fromText(g.scaleUp.name)};
    return c;
}

CardContent TopologyScene::switchContent(const SwitchGroup& s, long long usedPorts) const
{
    CardContent c;
    c.kind = ElementKind::Switches;
    c.name = fromText(s.name.empty() ? s.id : s.name);
    c.count = s.count;
    const long long ports = static_cast<long long>(s.count) * s.ports;
    c.portUse = ports > 0 ? static_cast<double>(usedPorts) / static_cast<double>(ports) : 0;
    c.captions = {tr("%1 of %2 ports").arg(groupedNumber(usedPorts), groupedNumber(ports))};
    return c;
}

void TopologyScene::setValue(const CanvasValue& value)
{
    const QStringList selected = selectedKeys();
    m_syncing = true;
    QSignalBlocker blocker(this); // deleting selected items must not tell of half a scene
    m_value = value;
    m_keys = connectionKeys(value.cluster);
    m_incident.clear();
    for (std::size_t i = 0; i < value.cluster.connections.size(); ++i) {
        m_incident[value.cluster.connections[i].from].push_back(i);
        m_incident[value.cluster.connections[i].to].push_back(i);
    }
    syncElements();
    syncConnections();
    m_syncing = false;
    placeLabels();
    if (!m_current.isEmpty() && !item(m_current))
        m_current.clear();
    if (selectedKeys() != selected) {
        blocker.unblock();
        Q_EMIT selectionChanged();
    }
}

void TopologyScene::syncElements()
{
    std::unordered_map<std::string, Severity> issues;
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
            item = new ElementItem(id, [this](const std::string& moved) { elementMoved(moved); });
            addItem(item);
        }
        item->setContent(content);
        if (const auto at = m_value.positions.find(id); at != m_value.positions.end())
            item->setPos(at->second.x, at->second.y);
        kept[id] = item;
        m_elements.erase(id);
    };
    for (const NodeGroup& g : m_value.cluster.nodes)
        show(g.id, nodeContent(g));
    for (const SwitchGroup& s : m_value.cluster.switches) {
        long long used = 0;
        if (const auto it = m_incident.find(s.id); it != m_incident.end()) {
            for (const std::size_t i : it->second)
                used += m_value.cluster.connections[i].cables;
        }
        show(s.id, switchContent(s, used));
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
        const Connection& c = m_value.cluster.connections[i];
        if (!m_elements.contains(c.from) || !m_elements.contains(c.to))
            continue;
        ConnectionItem* item = connection(m_keys[i]);
        if (!item) {
            item = new ConnectionItem(m_keys[i]);
            addItem(item);
        }
        const auto starved = [this](const std::string& id) { return m_elements.at(id)->content().portUse > 1; };
        item->setContent(c.link.kind, connectionWidth(c.link.bandwidth * static_cast<double>(c.cables)), starved(c.from) || starved(c.to));
        kept[m_keys[i]] = item;
        m_connections.erase(m_keys[i]);
        all.insert(i);
    }
    for (const auto& [key, item] : m_connections)
        delete item;
    m_connections = std::move(kept);
    std::erase_if(m_labels, [this](const auto& entry) {
        if (m_connections.contains(entry.first))
            return false;
        delete entry.second;
        return true;
    });
    m_ends.assign(m_keys.size(), {});
    for (const auto& [id, item] : m_elements)
        computeAnchors(id);
    applyCurves(all);
}

void TopologyScene::elementMoved(const std::string& id)
{
    if (m_syncing)
        return;
    // The ends at a neighbour are sorted by where the other ends are, so neighbours change too.
    std::set<std::string> affected{id};
    if (const auto it = m_incident.find(id); it != m_incident.end()) {
        for (const std::size_t i : it->second)
            affected.insert(otherEnd(m_value.cluster.connections[i], id));
    }
    std::set<std::size_t> curves;
    for (const std::string& each : affected) {
        computeAnchors(each);
        if (const auto it = m_incident.find(each); it != m_incident.end())
            curves.insert(it->second.begin(), it->second.end());
    }
    applyCurves(curves);
    placeLabels();
}

void TopologyScene::computeAnchors(const std::string& id)
{
    const auto incident = m_incident.find(id);
    const ElementItem* self = element(id);
    if (incident == m_incident.end() || !self)
        return;
    const QRectF card = self->sceneCard();
    struct Slot {
        double place;
        std::size_t connection;
    };
    std::array<std::vector<Slot>, 4> sides;
    for (const std::size_t i : incident->second) {
        const ElementItem* other = element(otherEnd(m_value.cluster.connections[i], id));
        if (!other)
            continue;
        const Side side = facing(card, other->sceneCard());
        const bool horizontal = side == Top || side == Bottom;
        sides[side].push_back({horizontal ? other->pos().x() : other->pos().y(), i});
    }
    for (std::size_t s = 0; s < sides.size(); ++s) {
        std::vector<Slot>& slots = sides[s];
        std::stable_sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.place < b.place; });
        const double length = s == Top || s == Bottom ? card.width() : card.height();
        const double n = static_cast<double>(slots.size());
        const double step = n > 1 ? std::min(kAnchorStep, length * 0.65 / (n - 1)) : 0;
        for (std::size_t k = 0; k < slots.size(); ++k) {
            const Anchor anchor = anchorOn(card, static_cast<Side>(s), (static_cast<double>(k) - (n - 1) / 2) * step);
            Ends& ends = m_ends[slots[k].connection];
            (m_value.cluster.connections[slots[k].connection].from == id ? ends.from : ends.to) = anchor;
        }
    }
}

void TopologyScene::applyCurves(const std::set<std::size_t>& connections)
{
    for (const std::size_t i : connections) {
        if (ConnectionItem* item = connection(m_keys[i]))
            item->setCurve(connectionCurve(m_ends[i].from, m_ends[i].to));
    }
}

void TopologyScene::placeLabels()
{
    std::vector<QRectF> taken;
    const bool all = m_connections.size() <= kMostLabels;
    if (all) {
        taken.reserve(m_elements.size() + m_connections.size());
        for (const auto& [id, item] : m_elements)
            taken.push_back(item->sceneCard());
    }
    // Selected ones first: they get the room.
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < m_keys.size(); ++i) {
        if (connection(m_keys[i]))
            order.push_back(i);
    }
    const auto selected = [this](std::size_t i) { return connection(m_keys[i])->isSelected(); };
    std::stable_partition(order.begin(), order.end(), selected);
    for (const std::size_t i : order) {
        const std::string& key = m_keys[i];
        const bool chosen = selected(i);
        ConnectionLabel* text = label(key);
        if (!all && !chosen) {
            if (text)
                text->setVisible(false);
            continue;
        }
        if (!text) {
            text = new ConnectionLabel;
            addItem(text);
            m_labels[key] = text;
        }
        text->setText(connectionLabel(m_value.cluster.connections[i]));
        text->setEmphasised(chosen);
        bool placed = false;
        for (const double t : {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74}) {
            const QPointF at = connection(key)->curve().pointAtPercent(t);
            const QRectF plate = text->boundingRect().translated(at);
            if (std::none_of(taken.begin(), taken.end(), [&plate](const QRectF& r) { return r.intersects(plate); })) {
                text->setPos(at);
                taken.push_back(plate);
                placed = true;
                break;
            }
        }
        text->setVisible(placed);
    }
}

CanvasPositions TopologyScene::currentPositions() const
{
    CanvasPositions positions;
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
    const auto it = m_labels.find(key);
    return it == m_labels.end() ? nullptr : it->second;
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
    std::sort(sorted.begin(), sorted.end(), [](const ElementItem* a, const ElementItem* b) {
        if (a->pos().y() != b->pos().y())
            return a->pos().y() < b->pos().y();
        return a->pos().x() != b->pos().x() ? a->pos().x() < b->pos().x() : a->id() < b->id();
    });
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
    return rect;
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

void TopologyScene::helpEvent(QGraphicsSceneHelpEvent* event)
{
    // Sentences are made when somebody asks for one, not for thousands of elements at every change.
    for (QGraphicsItem* each : items(event->scenePos())) {
        if (each->type() == ElementItem::Type) {
            each->setToolTip(describeElement(m_value.cluster, static_cast<ElementItem*>(each)->id()));
            break;
        }
        if (each->type() == ConnectionItem::Type) {
            const auto index = connectionIndex(m_value.cluster, static_cast<ConnectionItem*>(each)->key());
            if (index)
                each->setToolTip(describeConnection(m_value.cluster, m_value.cluster.connections[*index]));
            break;
        }
    }
    QGraphicsScene::helpEvent(event);
}

} // namespace stratoplan
