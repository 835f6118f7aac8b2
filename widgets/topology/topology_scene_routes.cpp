// SPDX-License-Identifier: GPL-3.0-or-later
// Where connections leave their cards, how they run, and where their labels have room.
#include "widgets/topology/topology_scene.h"
#include "widgets/topology/topology_text.h"

#include <algorithm>
#include <array>

namespace stratoplan {

namespace {

constexpr std::size_t kMostLabels = 32; ///< with more connections only those of the selection are labelled
constexpr std::size_t kFadeFrom = 8; ///< connections from which on those of a selected element stand out
constexpr double kAnchorStep = 22;

enum Side { Top, Bottom, Left, Right };

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

void TopologyScene::emphasise()
{
    // Among many curves one cannot follow those of an element unless the others step back.
    bool any = false;
    for (const auto& [id, item] : m_elements)
        any = any || (item->isSelected() && m_incident.contains(id));
    const bool fade = any && m_connections.size() > kFadeFrom;
    for (std::size_t i = 0; i < m_keys.size(); ++i) {
        if (ConnectionItem* item = connection(m_keys[i])) {
            const Connection& c = m_value.cluster.connections[i];
            const bool near = any && (element(c.from)->isSelected() || element(c.to)->isSelected());
            item->setEmphasis(near, fade && !near);
        }
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
    const auto selected = [&](std::size_t i) {
        const ConnectionItem* item = connection(m_keys[i]);
        return item->isSelected() || (!all && item->isNear());
    };
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
        text->setEmphasised(connection(key)->isSelected());
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

} // namespace stratoplan
