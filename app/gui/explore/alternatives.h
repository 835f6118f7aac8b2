// SPDX-License-Identifier: GPL-3.0-or-later
// What the pipeline of a plan can be compared with: the same plan under another schedule, or with its timing pass the
// other way.
#pragma once

#include "core/plan/plan.h"

#include <QString>

#include <vector>

namespace stratoplan::gui {

struct PipelineAlternative {
    parallel::Schedule schedule = parallel::Schedule::OneFOneB;
    bool timingPass = false;
    bool operator==(const PipelineAlternative&) const = default;
};

/// Of the plan as it is.
[[nodiscard]] PipelineAlternative alternativeOf(const plan::Plan& plan);
/// The plan run that way: as many chunks as the schedule needs.
[[nodiscard]] plan::Plan withAlternative(const plan::Plan& plan, const PipelineAlternative& alternative);
/// Those that keep every rule and can be priced; not the plan's own. The timing pass first.
[[nodiscard]] std::vector<PipelineAlternative> pipelineAlternatives(const plan::Plan& plan);
/// As it differs from the plan: "ZB-H1", "without the timing pass".
[[nodiscard]] QString alternativeText(const PipelineAlternative& alternative, const plan::Plan& plan);

} // namespace stratoplan::gui
