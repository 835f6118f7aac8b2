// SPDX-License-Identifier: GPL-3.0-or-later
// "torus 4x4x4": as many nodes as the accelerators of a torus take, joined along its axes.
#pragma once

#include "widgets/topology/canvas_edits.h"

#include <QMenu>

#include <vector>

namespace stratoplan::widgets {

class TopologyView;

/// Each group of nodes among the keys, or the only one of the cluster, as nodes enough for one torus of these axes,
/// cables following; what closes its axes stays as it is. None where it is so already, there is no such group, or its
/// nodes do not make up the torus.
[[nodiscard]] std::optional<CanvasEdit> torusArray(
    const CanvasValue& value, const QStringList& keys, const std::vector<int>& axes);

/// Shapes to choose from; those that the nodes do not make up are disabled, in words. Lives as long as the view.
[[nodiscard]] QMenu* makeTorusMenu(TopologyView& view);

} // namespace stratoplan::widgets
