// SPDX-License-Identifier: GPL-3.0-or-later
// What the sliders of a presentation do to a plan, as functions of values.
#pragma once

#include "core/plan/plan.h"
#include "widgets/presentation/slider_stop.h"

#include <vector>

namespace stratoplan::gui {

/// The group of nodes that most accelerators of the plan are in; 0 where there is none.
[[nodiscard]] std::size_t largestGroup(const cluster::Cluster& cluster);
/// So many nodes in that group, and as many replicas as the cluster then holds.
[[nodiscard]] plan::Plan withNodes(const plan::Plan& plan, int nodes);
/// Powers of two up to four times as many nodes as there are, and those that there are; red where a rule is broken.
[[nodiscard]] std::vector<widgets::SliderStop> nodeStops(const plan::Plan& plan);

} // namespace stratoplan::gui
