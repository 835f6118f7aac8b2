// SPDX-License-Identifier: GPL-3.0-or-later
// The frames of the racks of a scene: one item each, which follows the cards that stand in it. A click on one selects
// all of its elements.
#pragma once

#include "widgets/topology/cluster_racks.h"
#include "widgets/topology/rack_frame.h"

#include <QObject>

#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace stratoplan::widgets {

class TopologyScene;

class RackFrames final : public QObject {
    Q_OBJECT
public:
    explicit RackFrames(TopologyScene& scene);

    /// To the cards of the scene, which are others now; what preview() showed is over.
    void apply();
    /// As they are once cards that are dragged are dropped where they are.
    void preview(RackMoves moves);
    [[nodiscard]] const RackMoves& moves() const { return m_moves; }
    /// These cards stand elsewhere.
    void follow(const std::set<std::string>& ids);
    void showSelection();
    void setZoom(double zoom);
    /// Cards are seen from any distance, to work on them.
    void setKeepsOpen(bool keeps);

    /// nullptr if there is no such rack.
    [[nodiscard]] RackFrame* frame(const std::string& rack) const;
    /// That under the pointer there, with nothing in front of it.
    [[nodiscard]] RackFrame* frameAt(const QPointF& scenePosition) const;
    /// Where titles stand, which nothing else shall cover.
    [[nodiscard]] std::vector<QRectF> titleStrips() const;
    /// All of them.
    [[nodiscard]] QRectF bounds() const;

    enum class Selecting { Only, Add, Remove };
    void select(const RackFrame& frame, Selecting how);

Q_SIGNALS:
    /// The person wants to give the rack another name.
    void renameWanted(const QString& rack);
    /// What preview() shows is another.
    void movesChanged();

private:
    void show(const cluster::Cluster& cluster);
    void showView();
    void fit(RackFrame& frame) const;

    TopologyScene& m_scene;
    std::map<std::string, RackFrame*> m_frames; ///< by the names of the racks
    std::unordered_map<std::string, RackFrame*> m_frameOf; ///< of an element
    RackMoves m_moves;
    double m_zoom = 1;
    bool m_keepsOpen = false;
};

} // namespace stratoplan::widgets
