// SPDX-License-Identifier: GPL-3.0-or-later
// A step made ready to draw, all of it at once: a million slices take tens of milliseconds, so a worker makes it, and
// the charts that show it only keep the pointer.
#pragma once

#include "core/estimate/memory_timeline.h"
#include "widgets/presentation/gantt.h"
#include "widgets/presentation/gantt_sums.h"
#include "widgets/presentation/memory_curve.h"

#include <memory>

namespace stratoplan::widgets {

struct GanttStep {
    GanttIndex index;
    GanttPhases phases;
    std::vector<LegendEntry> legend; ///< what occurs
    QString summary;
    std::shared_ptr<const MemoryCurveView> curves; ///< null: it is not known what the stages hold
    Interval held{0, 0}; ///< bytes: the least and the most that any stage ever holds
    [[nodiscard]] const pipeline::Timeline& timeline() const { return index.timeline(); }
    [[nodiscard]] const estimate::MemoryTimeline* memory() const { return curves ? &curves->timeline : nullptr; }
};
using GanttStepPointer = std::shared_ptr<const GanttStep>;

/// Never null; its index is empty where the timeline cannot be drawn.
[[nodiscard]] GanttStepPointer ganttStep(
    pipeline::Timeline timeline, std::optional<estimate::MemoryTimeline> memory = {}, Bytes capacity = {});

} // namespace stratoplan::widgets
