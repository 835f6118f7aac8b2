// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/rack_layout.h"

#include <algorithm>
#include <unordered_map>

namespace stratoplan::widgets {

namespace {

constexpr double kFrameMargin = 24; ///< the cards behind and the badge stand out so far above and to the right

/// Calls it with the rack of each card that has a place, and where it stands.
void forEachCard(const CanvasValue& value, const auto& act)
{
    const auto each = [&](const auto& groups, ElementKind kind) {
        for (const auto& group : groups) {
            if (const auto at = value.positions.find(group.id); at != value.positions.end())
                act(group.rack, cardRect(kind, at->second));
        }
    };
    each(value.cluster.nodes, ElementKind::Nodes);
    each(value.cluster.switches, ElementKind::Switches);
}

} // namespace

QRectF rackFrame(const QRectF& cards)
{
    return cards.adjusted(-kFrameMargin, -kFrameMargin - kRackTitle, kFrameMargin, kFrameMargin);
}

std::vector<PlacedRack> placedRacks(const CanvasValue& value)
{
    std::vector<PlacedRack> placed;
    std::unordered_map<std::string_view, std::size_t> places;
    forEachCard(value, [&](const std::string& rack, const QRectF& card) {
        if (rack.empty())
            return;
        const auto [place, isNew] = places.emplace(rack, placed.size());
        if (isNew)
            placed.push_back({rack, card});
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
    forEachCard(value, [&rects](const std::string&, const QRectF& card) { rects.push_back(card); });
    for (const PlacedRack& rack : placedRacks(value)) {
        if (!open.contains(rack.name))
            rects.push_back(rack.frame);
    }
    return rects;
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
