// SPDX-License-Identifier: GPL-3.0-or-later
// What the details panel says about a plan, a stage or a figure: rows, the formula with its numbers, and what
// would help. Of the pipeline: pipeline_details.h. Pure functions of values.
#pragma once

#include "app/session/improvements.h"
#include "core/capacity/capacity.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/verdict_text.h"

#include <vector>

namespace stratoplan {

/// Nothing selected: the plan itself.
[[nodiscard]] DetailSections planDetails(const Plan& plan, const Estimate& estimate);
/// A part of the breakdown of a stage, or of the whole step with stage -1; all parts if there is none of that name.
[[nodiscard]] DetailSections partDetails(int stage, const QString& part, const Estimate& estimate);
/// The memory of one stage.
[[nodiscard]] DetailSections memoryDetails(int stage, const Plan& plan, const Estimate& estimate);
/// How a figure of the verdict was computed.
[[nodiscard]] DetailSections figureDetails(
    VerdictFigure figure, const Plan& plan, const Estimate& estimate, const CapacityInputs& inputs);
/// Best first, a handful. Not current: those of the plan before, until the next are known.
[[nodiscard]] DetailSection improvementDetails(const std::vector<Improvement>& improvements, bool current);

} // namespace stratoplan
