// SPDX-License-Identifier: GPL-3.0-or-later
// What the pipeline of a plan can be compared with: the same plan under another schedule, or with its timing pass the
// other way; a pinned plan of as many stages.
#pragma once

#include "core/plan/plan.h"

#include <QString>

#include <memory>
#include <vector>

namespace stratoplan::gui {

struct PipelineAlternative {
    parallel::Schedule schedule = parallel::Schedule::OneFOneB;
    bool timingPass = false;
    QString pin; ///< "A", of a pinned plan; empty: the plan itself, run otherwise
    std::shared_ptr<const plan::Plan> pinned; ///< null: the same
    bool operator==(const PipelineAlternative& other) const
    {
        return schedule == other.schedule && timingPass == other.timingPass && pin == other.pin
            && (pinned && other.pinned ? *pinned == *other.pinned : pinned == other.pinned);
    }
};

/// Of the plan as it is.
[[nodiscard]] PipelineAlternative alternativeOf(const plan::Plan& plan);
/// The plan run that way: as many chunks as the schedule needs.
[[nodiscard]] plan::Plan withAlternative(const plan::Plan& plan, const PipelineAlternative& alternative);
/// Those that keep every rule and can be priced; not the plan's own. The timing pass first, the pinned plans last.
[[nodiscard]] std::vector<PipelineAlternative> pipelineAlternatives(
    const plan::Plan& plan, const std::vector<plan::PinnedPlan>& pins = {});
/// As it differs from the plan: "ZB-H1", "without the timing pass", "pinned A".
[[nodiscard]] QString alternativeText(const PipelineAlternative& alternative, const plan::Plan& plan);

} // namespace stratoplan::gui
