// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/rack_layout.h"

#include <algorithm>
#include <unordered_map>

namespace stratoplan::widgets {

namespace {

constexpr double kFrameMargin = 24; ///< the cards behind and the badge stand out so far above and to the right

/// Calls it with each element that has a place, and where its card stands.
void forEachCard(const CanvasValue& value, const auto& act)
{
    const auto each = [&](const auto& groups, ElementKind kind) {
        for (const auto& group : groups) {
            if (const auto at = value.positions.find(group.id); at != value.positions.end())
                act(group, cardRect(kind, at->second));
        }
    };
    each(value.cluster.nodes, ElementKind::Nodes);
    each(value.cluster.switches, ElementKind::Switches);
}

/// Those of which a card stays, with the frames that they have in `value`.
std::vector<PlacedRack> racksThatStay(const CanvasValue& value, const plan::CanvasPositions& dragged)
{
    std::set<std::string_view> stay;
    forEachCard(value, [&](const auto& group, const QRectF&) {
        if (!dragged.contains(group.id))
            stay.insert(group.rack);
    });
    std::vector<PlacedRack> racks = placedRacks(value);
    std::erase_if(racks, [&stay](const PlacedRack& rack) { return !stay.contains(rack.name); });
    return racks;
}

/// The rack of a card of `rack` that is dragged from `start` to `end`; a frame that it stands in already takes it not.
std::string rackAfterDrag(
    const std::vector<PlacedRack>& racks, const std::string& rack, const QRectF& start, const QRectF& end)
{
    const auto its = std::ranges::find(racks, rack, &PlacedRack::name);
    if (its != racks.end() && its->frame.contains(end.center()))
        return rack;
    const auto into = std::ranges::find_if(racks, [&](const PlacedRack& each) {
        return each.frame.contains(end.center()) && !each.frame.contains(start.center());
    });
    if (into != racks.end())
        return into->name;
    return its != racks.end() && its->frame.intersects(end) ? rack : std::string();
}

} // namespace

QRectF rackFrame(const QRectF& cards)
{
    return cards.adjusted(-kFrameMargin, -kFrameMargin - kRackTitle, kFrameMargin, kFrameMargin);
}

QRectF titleStrip(const QRectF& frame)
{
    return {frame.left(), frame.top(), frame.width(), kRackTitle};
}

std::vector<PlacedRack> placedRacks(const CanvasValue& value)
{
    std::vector<PlacedRack> placed;
    std::unordered_map<std::string_view, std::size_t> places;
    forEachCard(value, [&](const auto& group, const QRectF& card) {
        if (group.rack.empty())
            return;
        const auto [place, isNew] = places.emplace(group.rack, placed.size());
        if (isNew)
            placed.push_back({group.rack, card});
        else
            placed[place->second].frame |= card;
    });
    for (PlacedRack& rack : placed)
        rack.frame = rackFrame(rack.frame);
    return placed;
}

std::vector<QRectF> standing(const CanvasValue& value, const std::set<std::string>& open)
{
    std::vector<QRectF> rects;
    forEachCard(value, [&rects](const auto&, const QRectF& card) { rects.push_back(card); });
    for (const PlacedRack& rack : placedRacks(value)) {
        if (!open.contains(rack.name))
            rects.push_back(rack.frame);
    }
    return rects;
}

RackMoves rackMoves(const CanvasValue& value, const plan::CanvasPositions& places, bool isByCard)
{
    const std::vector<PlacedRack> racks =
        isByCard && places.size() == 1 ? placedRacks(value) : racksThatStay(value, places);
    const auto isWhole = [&racks](const std::string& rack) {
        return !rack.empty() && std::ranges::find(racks, rack, &PlacedRack::name) == racks.end();
    };
    RackMoves moves;
    forEachCard(value, [&](const auto& group, const QRectF& start) {
        const auto place = places.find(group.id);
        if (place == places.end() || isWhole(group.rack))
            return;
        QRectF end = start;
        end.moveCenter({place->second.x, place->second.y});
        if (std::string rack = rackAfterDrag(racks, group.rack, start, end); rack != group.rack)
            moves[group.id] = std::move(rack);
    });
    return moves;
}

Landing landing(const CanvasValue& value, ElementKind kind, plan::CanvasPosition wish)
{
    const std::vector<PlacedRack> racks = placedRacks(value);
    const auto rack = std::ranges::find_if(
        racks, [wish](const PlacedRack& each) { return each.frame.contains(QPointF(wish.x, wish.y)); });
    if (rack == racks.end())
        return {freePlace(value, cardSize(kind), wish), {}, {}};
    const std::vector<QRectF> taken = standing(value, {rack->name});
    const auto hasRoom = [&](plan::CanvasPosition place) {
        const QRectF grown = rack->frame | rackFrame(cardRect(kind, place));
        return std::ranges::none_of(
            taken, [&](const QRectF& other) { return other.intersects(grown) && !other.intersects(rack->frame); });
    };
    const CanvasSize size = cardSize(kind);
    const int rings = 1 + static_cast<int>(std::max(rack->frame.width(), rack->frame.height()) / size.height);
    if (const auto within = freePlaceWhere(taken, size, wish, rings, hasRoom))
        return {*within, rack->name, {}};
    return {freePlace(value, size, wish), {}, rack->name};
}

plan::CanvasPosition freePlace(const CanvasValue& value, CanvasSize size, plan::CanvasPosition wish)
{
    return freePlace(standing(value), size, wish);
}

} // namespace stratoplan::widgets
