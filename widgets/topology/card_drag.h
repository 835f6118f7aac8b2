// SPDX-License-Identifier: GPL-3.0-or-later
// Cards that are dragged, by themselves or by the frame of their rack: they go into line with others, which thin lines
// show, or onto the grid; freely while Alt or Ctrl is held. They go into racks and out of them, but while Shift is
// held as they are dropped.
#pragma once

#include <QGraphicsObject>
#include <QLineF>

#include <string>
#include <utility>
#include <vector>

class QGraphicsSceneMouseEvent;

namespace stratoplan::widgets {

class TopologyScene;

/// Where a card goes that was asked to be elsewhere, and along what it stands there.
struct CardSnap {
    QPointF centre;
    std::vector<QLineF> guides; ///< none: on the grid
};
/// By each axis alone: the centre, or an edge, in line with that of the nearest other card within reach; else the
/// centre on the grid. Scene units.
[[nodiscard]] CardSnap snappedCard(const QRectF& card, const std::vector<QRectF>& others);

/// Takes the mouse events of the scene while it has a card.
class CardDrag final : public QGraphicsObject {
    Q_OBJECT
public:
    enum { Type = UserType + 4 };

    explicit CardDrag(TopologyScene& scene);

    /// A drag that goes on begins anew: cards may be gone, or stand elsewhere.
    void reset();

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] const std::vector<QLineF>& guides() const { return m_guides; }

    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void begin(const std::string& lead);
    /// The card `lead` is where the mouse has it, all others that are selected as they stand to it.
    void move(const std::string& lead, const QGraphicsSceneMouseEvent& event);
    /// Which racks they go into and out of where they are.
    void showRacks(Qt::KeyboardModifiers modifiers);
    void setGuides(std::vector<QLineF> guides);

    TopologyScene& m_scene;
    std::vector<std::pair<std::string, QPointF>> m_starts; ///< of what is dragged; nothing: no drag
    bool m_isByCard = false; ///< not by the title of a rack
    std::vector<QRectF> m_others;
    std::vector<QLineF> m_guides;
};

} // namespace stratoplan::widgets
