// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/audit/audit_lanes.h"

#include "core/reporting/audits.h"
#include "core/units/sentence.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>

namespace stratoplan::gui {

namespace {

widgets::Mark markOf(audit::Cause cause)
{
    using enum audit::Cause;
    switch (cause) {
    case Matmul:
    case Attention:
    case OtherComputation:
        return widgets::Mark::Forward;
    case Optimizer:
        return widgets::Mark::Optimizer;
    case Copies:
        return widgets::Mark::Other;
    case Idle:
        return widgets::Mark::Bubble;
    default:
        return widgets::Mark::Exposed;
    }
}

widgets::StepLane laneOf(const QString& title, const std::vector<audit::LaneSlice>& slices, double seconds)
{
    widgets::StepLane lane{title, {}, seconds};
    for (const audit::LaneSlice& slice : slices)
        lane.spans.push_back({slice.start, slice.seconds, markOf(slice.cause),
            widgets::text(asSentence(std::string(reporting::describe(slice.cause))))});
    return lane;
}

/// Of an estimate passes are whole, and what nothing runs in is a wait.
widgets::StepLane estimatedLane(const audit::Audit& audit)
{
    widgets::StepLane lane =
        laneOf(widgets::tr("Estimated, stage %1").arg(audit.stage), audit.estimatedLane, audit.estimate.step.value());
    for (std::size_t i = 0; i < lane.spans.size(); ++i) {
        const audit::Cause cause = audit.estimatedLane[i].cause;
        if (cause == audit::Cause::Pipeline)
            lane.spans[i].mark = widgets::Mark::Bubble;
        lane.spans[i].name = cause == audit::Cause::Matmul ? widgets::tr("Passes, with their exposed communication")
            : cause == audit::Cause::Pipeline              ? widgets::tr("Waits")
                                                           : lane.spans[i].name;
    }
    return lane;
}

} // namespace

std::vector<widgets::StepLane> auditLanes(const audit::Audit& audit)
{
    std::vector<widgets::StepLane> lanes;
    if (audit.step) {
        const double seconds = audit.step->step.value();
        lanes.push_back(laneOf(widgets::tr("Measured"), audit.step->lane, seconds));
        widgets::StepLane& beside =
            lanes.emplace_back(laneOf(widgets::tr("Its communication"), audit.step->communicationLane, seconds));
        for (widgets::LaneSpan& span : beside.spans)
            span.mark = widgets::Mark::Hidden;
    }
    lanes.push_back(estimatedLane(audit));
    return lanes;
}

std::vector<widgets::LegendEntry> auditLegend(const std::vector<widgets::StepLane>& lanes)
{
    using widgets::Mark;
    const auto has = [&](Mark mark) {
        return std::ranges::any_of(lanes, [&](const widgets::StepLane& lane) {
            return std::ranges::any_of(lane.spans, [&](const widgets::LaneSpan& span) { return span.mark == mark; });
        });
    };
    std::vector<widgets::LegendEntry> legend;
    for (const auto& [mark, name] : {std::pair(Mark::Forward, widgets::tr("Computation, or passes of the estimate")),
             std::pair(Mark::Exposed, widgets::tr("Exposed communication")),
             std::pair(Mark::Hidden, widgets::tr("All communication")),
             std::pair(Mark::Optimizer, widgets::tr("Optimizer")), std::pair(Mark::Other, widgets::tr("Copies")),
             std::pair(Mark::Bubble, widgets::tr("Idle, or waiting"))})
        if (has(mark))
            legend.push_back({name, mark});
    return legend;
}

} // namespace stratoplan::gui
