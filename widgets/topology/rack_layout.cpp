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
    const std::string name = rack == racks.end() ? std::string() : rack->name;
    return {freePlace(standing(value, {name}), cardSize(kind), wish), name};
}

plan::CanvasPosition freePlace(const CanvasValue& value, CanvasSize size, plan::CanvasPosition wish)
{
    return freePlace(standing(value), size, wish);
}

} // namespace stratoplan::widgets
