// SPDX-License-Identifier: GPL-3.0-or-later
// Mirrors a cluster value as items: a card per group, a curve and a label per connection, a frame per rack. It owns no
// truth: dragging moves cards, and whoever shows the scene reads currentPositions() and proposes an edit.
#pragma once

#include "widgets/topology/connection_item.h"
#include "widgets/topology/element_item.h"
#include "widgets/topology/family_colours.h"

#include <QGraphicsScene>
#include <QStringList>

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace stratoplan::widgets {

class CardDrag;
class ConnectionLabels;
class PlanOverlays;
class RackFrames;

class TopologyScene final : public QGraphicsScene {
    Q_OBJECT
public:
    explicit TopologyScene(QObject* parent = nullptr);
    ~TopologyScene() override;

    /// Colours of the accelerator families follow the order of the catalogue.
    void setCatalog(const catalog::Catalog& catalog);
    /// Shows the value; items of elements that stay are kept, and so is their selection. Positions must be complete.
    void setValue(const CanvasValue& value);
    [[nodiscard]] const CanvasValue& value() const { return m_value; }
    /// What it shows of the plan that runs on the cluster.
    [[nodiscard]] PlanOverlays& overlays() const { return *m_overlays; }
    /// They have changed.
    void refreshOverlays();
    [[nodiscard]] RackFrames& racks() const { return *m_racks; }
    /// Cards, by id, to where they shall stand.
    void moveCards(const std::vector<std::pair<std::string, QPointF>>& places);
    /// Where the cards stand now, in the midst of a drag too.
    [[nodiscard]] plan::CanvasPositions currentPositions() const;

    [[nodiscard]] ElementItem* element(const std::string& id) const;
    [[nodiscard]] ConnectionItem* connection(const std::string& key) const;
    /// Of the connections, in the order of the value.
    [[nodiscard]] const std::vector<std::string>& keys() const { return m_keys; }
    /// The label of a connection; nullptr or hidden where there is no room for it.
    [[nodiscard]] ConnectionLabel* label(const std::string& key) const;
    [[nodiscard]] ElementItem* elementAt(const QPointF& scenePosition) const;

    /// Ids of selected elements and keys of selected connections, elements first.
    [[nodiscard]] QStringList selectedKeys() const;
    void select(const QStringList& keys);
    /// What lies there, of a rack all, unless it is selected already; nothing, where nothing lies.
    void selectAt(const QPointF& scenePosition);
    [[nodiscard]] QGraphicsItem* item(const QString& key) const;
    /// Elements top to bottom and left to right, then the connections: the order of the Tab key.
    [[nodiscard]] QStringList walkOrder() const;
    /// All cards with what hangs on them; empty if there is nothing.
    [[nodiscard]] QRectF contentRect() const;
    /// The keyboard's place, marked by a dotted ring; empty = nowhere.
    void setCurrent(const QString& key);
    /// What follows from what is selected, where nobody was told of it.
    void showSelection();
    [[nodiscard]] const QString& current() const { return m_current; }

private:
    struct Ends {
        Anchor from;
        Anchor to;
    };
    void syncElements();
    void syncConnections();
    /// What hangs on these goes along.
    void follow(const std::set<std::string>& ids);
    void computeAnchors(const std::string& id);
    void applyCurves(const std::set<std::size_t>& connections);
    void emphasise();

    PlanOverlays* m_overlays;
    CardDrag* m_drag;
    RackFrames* m_racks;
    std::unique_ptr<ConnectionLabels> m_labels;
    CanvasValue m_value;
    FamilyColours m_colours;
    std::unordered_map<std::string, ElementItem*> m_elements;
    std::unordered_map<std::string, ConnectionItem*> m_connections;
    std::unordered_map<std::string, std::vector<std::size_t>> m_incident; ///< connections of an element
    std::vector<std::string> m_keys; ///< of the connections, in the order of the value
    std::vector<Ends> m_ends;
    QString m_current;
    bool m_syncing = false;
};

} // namespace stratoplan::widgets
