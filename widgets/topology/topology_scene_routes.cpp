// SPDX-License-Identifier: GPL-3.0-or-later
// How connections run.
#include "widgets/topology/connection_ends.h"
#include "widgets/topology/connection_labels.h"
#include "widgets/topology/rack_frames.h"
#include "widgets/topology/topology_scene.h"

namespace stratoplan::widgets {

namespace {

constexpr std::size_t kFadeFrom = 8; ///< connections from which on those of a selected element stand out

std::string otherEnd(const cluster::Connection& c, const std::string& id)
{
    return c.from == id ? c.to : c.from;
}

} // namespace

void TopologyScene::moveCards(const std::vector<std::pair<std::string, QPointF>>& places)
{
    m_syncing = true; // followed once, not after each
    std::set<std::string> moved;
    for (const auto& [id, place] : places) {
        element(id)->setPos(place);
        moved.insert(id);
    }
    m_syncing = false;
    follow(moved);
}

void TopologyScene::follow(const std::set<std::string>& ids)
{
    if (m_syncing)
        return;
    m_racks->follow(ids);
    // The ends at a neighbour are sorted by where the other ends are, so neighbours change too.
    std::set<std::string> affected = ids;
    for (const std::string& id : ids) {
        if (const auto it = m_incident.find(id); it != m_incident.end()) {
            for (const std::size_t i : it->second)
                affected.insert(otherEnd(m_value.cluster.connections[i], id));
        }
    }
    std::set<std::size_t> curves;
    for (const std::string& each : affected) {
        computeAnchors(each);
        if (const auto it = m_incident.find(each); it != m_incident.end())
            curves.insert(it->second.begin(), it->second.end());
    }
    applyCurves(curves);
    m_labels->place();
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
    m_racks->showSelection();
}

} // namespace stratoplan::widgets
