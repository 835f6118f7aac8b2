// SPDX-License-Identifier: GPL-3.0-or-later
// Where things stand on the canvas: the grid, the sizes of cards, the automatic layout (nodes below, leaf switches
// above them, spine and core on top) and the grid of accelerators inside a card. Pure geometry in scene units.
#pragma once

#include "widgets/topology/cluster_edit.h"

#include <QRectF>

#include <functional>

namespace stratoplan::widgets {

inline constexpr double kCanvasGrid = 8;
inline constexpr double kNodeCardWidth = 160;
inline constexpr double kNodeCardHeight = 128;
inline constexpr double kSwitchCardWidth = 144;
inline constexpr double kSwitchCardHeight = 64;

struct CanvasSize {
    double width = 0;
    double height = 0;
    bool operator==(const CanvasSize&) const = default;
};
[[nodiscard]] CanvasSize cardSize(ElementKind kind);
[[nodiscard]] QRectF cardRect(ElementKind kind, plan::CanvasPosition centre);

/// Nearest point of the 8-unit grid.
[[nodiscard]] plan::CanvasPosition snapped(plan::CanvasPosition position);

/// Position of every element by the automatic layout; within a tier ordered so that links cross little. Cards of a rack
/// stand side by side: frames of racks do not overlap, nor hold anything else.
[[nodiscard]] plan::CanvasPositions autoLayout(const cluster::Cluster& cluster);

/// `positions` of the elements of the cluster, those that are missing filled in: by the automatic layout if it collides
/// with nothing, else on the nearest free place.
[[nodiscard]] plan::CanvasPositions completed(const cluster::Cluster& cluster, const plan::CanvasPositions& positions);

/// Whether `next` is not an edit of what was shown: no element is left, or under another name none stands where it did.
[[nodiscard]] bool isAnother(const CanvasValue& shown, const CanvasValue& next);

/// The place nearest to `wish`, on the grid, where something of the size stands clear of all that is taken.
[[nodiscard]] plan::CanvasPosition freePlace(
    const std::vector<QRectF>& taken, CanvasSize size, plan::CanvasPosition wish);
/// The same where it suits, too, at most so many times its size away; none if there is no such place.
[[nodiscard]] std::optional<plan::CanvasPosition> freePlaceWhere(const std::vector<QRectF>& taken, CanvasSize size,
    plan::CanvasPosition wish, int rings, const std::function<bool(plan::CanvasPosition)>& suits);

/// Equal squares for `count` accelerators in a box: the largest squares that fit, whole rows where possible.
struct AcceleratorGrid {
    int columns = 0;
    int rows = 0;
    double side = 0; ///< of one square
    double gap = 0;
    bool operator==(const AcceleratorGrid&) const = default;
};
[[nodiscard]] AcceleratorGrid acceleratorGrid(int count, double width, double height);

/// Line width of a connection by its total bandwidth: logarithmic, 1.25 at 25 GB/s and below, 6 at 100 TB/s and above.
[[nodiscard]] double connectionWidth(BytesPerSecond total);

} // namespace stratoplan::widgets
