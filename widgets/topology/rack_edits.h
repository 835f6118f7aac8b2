// SPDX-License-Identifier: GPL-3.0-or-later
// What a person may ask about racks, each as the edit it comes to. On plain values, without a scene.
#pragma once

#include "widgets/topology/canvas_edits.h"
#include "widgets/topology/canvas_layout.h"

namespace stratoplan::widgets {

/// Ids of elements among the keys.
[[nodiscard]] std::vector<std::string> elementsAmong(const cluster::Cluster& cluster, const QStringList& keys);
/// All elements of the racks that the keys are of, of a link none; empty if they are of none.
[[nodiscard]] QStringList rackMates(const cluster::Cluster& cluster, const QStringList& keys);
/// The one rack that elements among the keys are of; empty: none is, or they are of several.
[[nodiscard]] QString commonRack(const cluster::Cluster& cluster, const QStringList& keys);

/// There are elements among the keys, and they are not a rack already.
[[nodiscard]] bool isGroupable(const cluster::Cluster& cluster, const QStringList& keys);
/// The elements among the keys in a rack of their own; none if they cannot be grouped.
[[nodiscard]] std::optional<CanvasEdit> groupedIntoRack(const CanvasValue& value, const QStringList& keys);
/// In no rack any more; none if they are in none.
[[nodiscard]] std::optional<CanvasEdit> ungrouped(const CanvasValue& value, const QStringList& keys);
/// Under a name that another rack has they become one; without a name the rack dissolves. None if it is called so, or
/// if there is no such rack.
[[nodiscard]] std::optional<CanvasEdit> renamedRack(const CanvasValue& value, const QString& rack, const QString& name);

/// "Move leaf into Rack 1": what is said of the elements `moved`, some of which, or all, go into racks or out of them.
[[nodiscard]] QString moveText(const cluster::Cluster& cluster, const QStringList& moved, const RackMoves& racks);
/// Of those alone.
[[nodiscard]] QString moveText(const cluster::Cluster& cluster, const RackMoves& racks);
/// What is told of those that go into none; empty: there are none.
[[nodiscard]] QString leaveNotice(const cluster::Cluster& cluster, const RackMoves& racks);

inline constexpr int kNodesOfRack = 4; ///< to begin with
/// Nodes as the last of the cluster are, or DGX H100 where there are none, below leaf switches that have as many ports
/// up as down, all in a rack of its own; arranged.
[[nodiscard]] CanvasValue newRack(const catalog::Catalog& catalog, const cluster::Cluster& cluster);
/// Where a new rack has room: the centre of its frame, whose size is told, too.
struct RackLanding {
    CanvasValue rack;
    CanvasSize size;
    plan::CanvasPosition place;
};
[[nodiscard]] RackLanding rackLanding(
    const catalog::Catalog& catalog, const CanvasValue& value, plan::CanvasPosition wish);
[[nodiscard]] std::optional<CanvasEdit> placedRack(
    const catalog::Catalog& catalog, const CanvasValue& value, plan::CanvasPosition wish);

} // namespace stratoplan::widgets
