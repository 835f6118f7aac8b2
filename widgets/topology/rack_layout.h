// SPDX-License-Identifier: GPL-3.0-or-later
// Where the frames of racks run on the canvas, and where there is room beside them. Scene units.
#pragma once

#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/cluster_racks.h"

#include <set>

namespace stratoplan::widgets {

/// Room within a frame for its title, above the cards.
inline constexpr double kRackTitle = 32;

/// Around what these cards cover together, with what stands out of them.
[[nodiscard]] QRectF rackFrame(const QRectF& cards);
/// The strip at the upper edge of a frame that its title stands in while single cards can be read.
[[nodiscard]] QRectF titleStrip(const QRectF& frame);

struct PlacedRack {
    std::string name;
    QRectF frame;
};
/// Those of which an element has a place.
[[nodiscard]] std::vector<PlacedRack> placedRacks(const CanvasValue& value);
/// What nothing else may cover: cards, and frames but those of the racks that are `open`.
[[nodiscard]] std::vector<QRectF> standing(const CanvasValue& value, const std::set<std::string>& open = {});

/// What becomes of cards that are dragged from where they stand in `value` to `places`: those whose centre comes into
/// the frame of another rack go into that, those that stand wholly outside the frame of their own leave it. Frames are
/// as before the drag, and those of racks that are dragged whole take and lose nothing. `isByCard`: the mouse has a
/// card, not the title of a rack: one alone is no whole rack, even if its rack has no other.
[[nodiscard]] RackMoves rackMoves(const CanvasValue& value, const plan::CanvasPositions& places, bool isByCard);

/// Where something goes that is dropped, and into which rack.
struct Landing {
    plan::CanvasPosition place; ///< of its centre
    std::string rack; ///< the frame that it is dropped into; empty: into none
    std::string full; ///< the frame that it was to go into, which has no room to grow around it
};
/// On the free place nearest to `wish`.
[[nodiscard]] Landing landing(const CanvasValue& value, ElementKind kind, plan::CanvasPosition wish);
/// The same of something that goes into no rack.
[[nodiscard]] plan::CanvasPosition freePlace(const CanvasValue& value, CanvasSize size, plan::CanvasPosition wish);

} // namespace stratoplan::widgets
