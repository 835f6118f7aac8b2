// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/connection_labels.h"

#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/rack_frames.h"
#include "widgets/topology/topology_scene.h"
#include "widgets/topology/topology_text.h"

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr std::size_t kMostLabels = 32; ///< with more connections only those of the selection are labelled

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

ConnectionLabels::ConnectionLabels(TopologyScene& scene)
    : m_scene(scene)
{
}

ConnectionLabel* ConnectionLabels::label(const std::string& key) const
{
    const auto it = m_labels.find(key);
    return it == m_labels.end() ? nullptr : it->second;
}

void ConnectionLabels::dropStale()
{
    std::erase_if(m_labels, [this](const auto& entry) {
        if (m_scene.connection(entry.first))
            return false;
        delete entry.second;
        return true;
    });
}

bool ConnectionLabels::isWanted(const std::string& key) const
{
    const ConnectionItem* item = m_scene.connection(key);
    return item->isSelected() || m_scene.overlays().isNamed(key)
        || (m_scene.value().cluster.connections.size() > kMostLabels && item->isNear());
}

ConnectionLabel& ConnectionLabels::shown(std::size_t connection)
{
    const std::string& key = m_scene.keys()[connection];
    ConnectionLabel* text = label(key);
    if (!text) {
        text = new ConnectionLabel;
        m_scene.addItem(text);
        m_labels[key] = text;
    }
    const QString load = m_scene.overlays().loadLabel(key);
    const QString cables = connectionLabel(m_scene.value().cluster.connections[connection]);
    text->setText(load.isEmpty() ? cables : TopologyScene::tr("%1 · %2").arg(cables, load));
    text->setEmphasised(m_scene.connection(key)->isSelected());
    return *text;
}

void ConnectionLabels::place()
{
    dropStale();
    const std::vector<std::string>& keys = m_scene.keys();
    std::vector<QRectF> taken = m_scene.racks().titleStrips();
    const bool all = keys.size() <= kMostLabels;
    if (all) {
        for (const std::string& id : elementIds(m_scene.value().cluster))
            taken.push_back(m_scene.element(id)->sceneCard());
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (m_scene.connection(keys[i]))
            order.push_back(i);
    }
    // Selected ones first: they get the room.
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return isWanted(keys[i]); });
    for (const std::size_t i : order) {
        if (all || isWanted(keys[i])) {
            ConnectionLabel& text = shown(i);
            text.setVisible(placeLabel(text, m_scene.connection(keys[i])->curve(), taken));
        } else if (ConnectionLabel* text = label(keys[i])) {
            text->setVisible(false);
        }
    }
}

} // namespace stratoplan::widgets
