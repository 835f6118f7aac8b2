// SPDX-License-Identifier: GPL-3.0-or-later
// How connections run, and where their labels have room.
#include "widgets/topology/connection_ends.h"
#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/topology_scene.h"
#include "widgets/topology/topology_text.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr std::size_t kMostLabels = 32; ///< with more connections only those of the selection are labelled
constexpr std::size_t kFadeFrom = 8; ///< connections from which on those of a selected element stand out

std::string otherEnd(const cluster::Connection& c, const std::string& id)
{
    return c.from == id ? c.to : c.from;
}

/// On the curve, where nothing of `taken` stands; false: there is no room.
bool placeLabel(ConnectionLabel& text, const QPainterPath& curve, std::vector<QRectF>& taken)
{
    for (const double share : {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74}) {
        const QPointF place = curve.pointAtPercent(share);
        const QRectF plate = text.boundingRect().translated(place);
        if (std::none_of(taken.begin(), taken.end(), [&plate](const QRectF& r) { return r.intersects(plate); })) {
            text.setPos(place);
            taken.push_back(plate);
            return true;
        }
    }
    return false;
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
    std::vector<FarEnd> others;
    for (const std::size_t i : incident->second) {
        if (const ElementItem* other = element(otherEnd(m_value.cluster.connections[i], id)))
            others.push_back({i, other->sceneCard()});
    }
    for (const NearEnd& end : nearEnds(self->sceneCard(), others)) {
        Ends& ends = m_ends[end.connection];
        (m_value.cluster.connections[end.connection].from == id ? ends.from : ends.to) = end.anchor;
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
            const cluster::Connection& c = m_value.cluster.connections[i];
            const bool near = any && (element(c.from)->isSelected() || element(c.to)->isSelected());
            item->setEmphasis(near, fade && !near);
        }
    }
}

bool TopologyScene::isLabelWanted(std::size_t connection) const
{
    const ConnectionItem* item = this->connection(m_keys[connection]);
    return item->isSelected() || m_overlays->isNamed(m_keys[connection])
        || (m_connections.size() > kMostLabels && item->isNear());
}

ConnectionLabel& TopologyScene::shownLabel(std::size_t connection)
{
    const std::string& key = m_keys[connection];
    ConnectionLabel* text = label(key);
    if (!text) {
        text = new ConnectionLabel;
        addItem(text);
        m_labels[key] = text;
    }
    const QString load = m_overlays->loadLabel(key);
    const QString cables = connectionLabel(m_value.cluster.connections[connection]);
    text->setText(load.isEmpty() ? cables : tr("%1 · %2").arg(cables, load));
    text->setEmphasised(this->connection(key)->isSelected());
    return *text;
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
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < m_keys.size(); ++i) {
        if (connection(m_keys[i]))
            order.push_back(i);
    }
    // Selected ones first: they get the room.
    std::stable_partition(order.begin(), order.end(), [this](std::size_t i) { return isLabelWanted(i); });
    for (const std::size_t i : order) {
        if (all || isLabelWanted(i)) {
            ConnectionLabel& text = shownLabel(i);
            text.setVisible(placeLabel(text, connection(m_keys[i])->curve(), taken));
        } else if (ConnectionLabel* text = label(m_keys[i])) {
            text->setVisible(false);
        }
    }
}

} // namespace stratoplan::widgets
