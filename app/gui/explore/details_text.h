// SPDX-License-Identifier: GPL-3.0-or-later
// What the details panel says about a plan, a stage or a figure: rows, the formula with its numbers, and what
// would help. Of the pipeline: pipeline_details.h. Pure functions of values.
#pragma once

#include "app/session/improvements.h"
#include "core/capacity/capacity.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/verdict_text.h"

#include <vector>

namespace stratoplan::gui {

/// Nothing selected: the plan itself.
[[nodiscard]] widgets::DetailSections planDetails(const plan::Plan& plan, const estimate::Estimate& estimate);
/// A part of the breakdown of a stage, or of the whole step with stage -1; all parts if there is none of that name.
[[nodiscard]] widgets::DetailSections partDetails(int stage, const QString& part, const estimate::Estimate& estimate);
/// The memory of one stage.
[[nodiscard]] widgets::DetailSections memoryDetails(
    int stage, const plan::Plan& plan, const estimate::Estimate& estimate);
/// How a figure of the verdict was computed.
[[nodiscard]] widgets::DetailSections figureDetails(widgets::VerdictFigure figure, const plan::Plan& plan,
    const estimate::Estimate& estimate, const plan::CapacityInputs& inputs);
/// Best first, a handful. Not current: those of the plan before, until the next are known.
[[nodiscard]] widgets::DetailSection improvementDetails(
    const std::vector<session::Improvement>& improvements, bool current);

} // namespace stratoplan::gui
