// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt_step.h"

#include "widgets/presentation/gantt_text.h"

#include <algorithm>
#include <utility>

namespace stratoplan::widgets {

GanttStepPointer ganttStep(pipeline::Timeline timeline, std::optional<estimate::MemoryTimeline> memory, Bytes capacity)
{
    auto step = std::make_shared<GanttStep>();
    step->index = GanttIndex(std::move(timeline));
    if (step->index.empty())
        return step;
    step->phases = phases(step->timeline());
    step->legend = ganttLegend(step->timeline());
    step->summary = summary(step->timeline());
    if (!memory)
        return step;
    auto curves = memoryCurveView(std::move(*memory), capacity, step->timeline().chunks);
    if (!curves)
        return step;
    step->curves = std::make_shared<const MemoryCurveView>(std::move(*curves));
    for (const estimate::StageMemoryCurve& curve : step->curves->timeline.stages) {
        for (const estimate::MemoryPoint& point : curve.points) {
            const bool first = !(step->held.high > 0);
            step->held.low = first ? point.bytes.value() : std::min(step->held.low, point.bytes.value());
            step->held.high = std::max(step->held.high, point.bytes.value());
        }
    }
    return step;
}

} // namespace stratoplan::widgets
