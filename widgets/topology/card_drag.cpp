// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/card_drag.h"

#include "widgets/style/theme.h"
#include "widgets/topology/rack_frames.h"
#include "widgets/topology/rack_layout.h"
#include "widgets/topology/topology_scene.h"

#include <QApplication>
#include <QGraphicsSceneMouseEvent>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace stratoplan::widgets {

namespace {

constexpr double kLineReach = 6; ///< a little more than the grid draws
constexpr double kAboveCards = 10; ///< z

/// Centre first: where several are as near, it is that which people see.
std::array<double, 3> linesOf(const QRectF& card, Qt::Orientation axis)
{
    return axis == Qt::Horizontal ? std::array{card.center().x(), card.left(), card.right()}
                                  : std::array{card.center().y(), card.top(), card.bottom()};
}

struct LineMatch {
    double way = 0;
    double centre = 0; ///< of the card, then
    double at = 0;
    QRectF other;
};

std::optional<LineMatch> nearestLine(const QRectF& card, const std::vector<QRectF>& others, Qt::Orientation axis)
{
    std::optional<LineMatch> best;
    const std::array<double, 3> ofCard = linesOf(card, axis);
    const double half = (axis == Qt::Horizontal ? card.width() : card.height()) / 2;
    const std::array<double, 3> toCentre{0, half, -half};
    for (const QRectF& other : others) {
        const std::array<double, 3> lines = linesOf(other, axis);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const double way = std::abs(lines[i] - ofCard[i]);
            if (way <= kLineReach && (!best || way < best->way))
                best = LineMatch{way, lines[i] + toCentre[i], lines[i], other};
        }
    }
    return best;
}

/// The card that goes where the mouse takes the item: itself, or the first of a rack; empty: it is not dragged.
std::string leadOf(QGraphicsItem& item)
{
    if (item.type() == ElementItem::Type)
        return static_cast<const ElementItem&>(item).id();
    const RackFrame* const frame = RackFrame::shownBy(item);
    return frame ? frame->elements().front() : std::string();
}

} // namespace

CardSnap snappedCard(const QRectF& card, const std::vector<QRectF>& others)
{
    const auto across = nearestLine(card, others, Qt::Horizontal);
    const auto down = nearestLine(card, others, Qt::Vertical);
    const plan::CanvasPosition grid = snapped({card.center().x(), card.center().y()});
    CardSnap snap;
    snap.centre = {across ? across->centre : grid.x, down ? down->centre : grid.y};
    QRectF moved = card;
    moved.moveCenter(snap.centre);
    if (across) {
        const QRectF both = moved | across->other;
        snap.guides.emplace_back(across->at, both.top(), across->at, both.bottom());
    }
    if (down) {
        const QRectF both = moved | down->other;
        snap.guides.emplace_back(both.left(), down->at, both.right(), down->at);
    }
    return snap;
}

CardDrag::CardDrag(TopologyScene& scene)
    : m_scene(scene)
{
    setZValue(kAboveCards);
    setAcceptedMouseButtons(Qt::NoButton);
    scene.installEventFilter(this);
}

bool CardDrag::eventFilter(QObject*, QEvent* event)
{
    if (event->type() == QEvent::GraphicsSceneMouseRelease) {
        showRacks(static_cast<const QGraphicsSceneMouseEvent&>(*event).modifiers());
        reset();
    } else if (event->type() == QEvent::KeyPress || event->type() == QEvent::KeyRelease) {
        showRacks(static_cast<const QKeyEvent&>(*event).modifiers());
    } else if (event->type() == QEvent::GraphicsSceneMouseMove) {
        QGraphicsItem* const grabber = m_scene.mouseGrabberItem();
        const auto& mouse = static_cast<const QGraphicsSceneMouseEvent&>(*event);
        const std::string lead = grabber && mouse.buttons() & Qt::LeftButton ? leadOf(*grabber) : std::string();
        if (!lead.empty()) {
            m_isByCard = grabber->type() == ElementItem::Type;
            move(lead, mouse);
            return true;
        }
    }
    return false;
}

void CardDrag::reset()
{
    m_starts.clear();
    setGuides({});
}

void CardDrag::begin(const std::string& lead)
{
    m_others.clear();
    for (const std::string& id : elementIds(m_scene.value().cluster)) {
        const ElementItem* card = m_scene.element(id);
        if (card->isSelected() || id == lead) // a press with Ctrl does not select
            m_starts.emplace_back(id, card->pos());
        else
            m_others.push_back(card->sceneCard());
    }
}

void CardDrag::move(const std::string& lead, const QGraphicsSceneMouseEvent& event)
{
    if (m_starts.empty()) {
        const QPoint way = event.screenPos() - event.buttonDownScreenPos(Qt::LeftButton);
        if (way.manhattanLength() < QApplication::startDragDistance())
            return; // a click that trembles
        begin(lead);
    }
    const auto start = std::ranges::find(m_starts, lead, &std::pair<std::string, QPointF>::first);
    if (start == m_starts.end())
        return;
    const QPointF wish = start->second + event.scenePos() - event.buttonDownScenePos(Qt::LeftButton);
    CardSnap snap{wish, {}};
    if (!(event.modifiers() & (Qt::AltModifier | Qt::ControlModifier)))
        snap = snappedCard(m_scene.element(lead)->card().translated(wish), m_others);
    const QPointF origin = start->second;
    std::vector<std::pair<std::string, QPointF>> places = m_starts;
    for (auto& [id, place] : places)
        place += snap.centre - origin;
    m_scene.moveCards(places);
    showRacks(event.modifiers());
    setGuides(std::move(snap.guides));
}

void CardDrag::showRacks(Qt::KeyboardModifiers modifiers)
{
    plan::CanvasPositions places;
    for (const auto& [id, start] : m_starts) {
        const QPointF place = m_scene.element(id)->pos();
        places[id] = {place.x(), place.y()};
    }
    if (!places.empty())
        m_scene.racks().preview(
            modifiers & Qt::ShiftModifier ? RackMoves() : rackMoves(m_scene.value(), places, m_isByCard));
}

void CardDrag::setGuides(std::vector<QLineF> guides)
{
    prepareGeometryChange();
    m_guides = std::move(guides);
}

QRectF CardDrag::boundingRect() const
{
    QRectF bounds;
    for (const QLineF& guide : m_guides)
        bounds |= QRectF(guide.p1(), guide.p2()).adjusted(-1, -1, 1, 1);
    return bounds;
}

void CardDrag::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    QPen pen(currentTokens().accent, 0); // as thin as can be at every zoom
    pen.setStyle(Qt::DashLine);
    painter->setPen(pen);
    for (const QLineF& guide : m_guides)
        painter->drawLine(guide);
}

} // namespace stratoplan::widgets
