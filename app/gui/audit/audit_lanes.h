// SPDX-License-Identifier: GPL-3.0-or-later
// The lanes of an audit: the measured step above the estimated one, in the marks of other charts.
#pragma once

#include "core/audit/audit.h"
#include "widgets/charts/step_lanes.h"
#include "widgets/presentation/stacks.h"

#include <vector>

namespace stratoplan::gui {

/// Measured, its communication, and estimated; without a profile the estimate alone.
[[nodiscard]] std::vector<widgets::StepLane> auditLanes(const audit::Audit& audit);
/// Of what the lanes have.
[[nodiscard]] std::vector<widgets::LegendEntry> auditLegend(const std::vector<widgets::StepLane>& lanes);

} // namespace stratoplan::gui
