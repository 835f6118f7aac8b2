// SPDX-License-Identifier: GPL-3.0-or-later
// What a timeline adds up to: its phases, the sums over an area that was selected, and the difference of the waits of
// two timelines.
#pragma once

#include "widgets/presentation/gantt.h"
#include "widgets/presentation/table.h"

#include <optional>
#include <vector>

namespace stratoplan::widgets {

/// Instants that divide a step, seconds: until `steady` the pipeline fills, from `drain` on it empties, from `apply` on
/// gradients are applied. Of one stage: its first backward pass begins; its last forward pass ends; its last pass ends.
struct GanttPhases {
    double steady = 0;
    double drain = 0;
    double apply = 0;
    double end = 0;
    bool operator==(const GanttPhases&) const = default;
};
[[nodiscard]] std::vector<GanttPhases> phasesByStage(const pipeline::Timeline& timeline);
/// Of the pipeline: steady while every stage is. Where no instant is, it fills until its first backward pass and then
/// drains.
[[nodiscard]] GanttPhases phases(const pipeline::Timeline& timeline);

/// A range of time on neighbouring stages.
struct GanttArea {
    Interval time;
    int firstStage = 0;
    int lastStage = 0;
    bool operator==(const GanttArea&) const = default;
};

/// Sums over an area; slices and waits that reach out of it count with what lies inside.
struct AreaSums {
    template <class Kind>
    struct Sum {
        Kind kind{};
        std::size_t count = 0;
        Seconds total{};
        Seconds longest{}; ///< inside
    };
    GanttArea area;
    std::vector<Sum<pipeline::SliceKind>> kinds; ///< that occur
    std::vector<Sum<pipeline::Wait::Cause>> waits;
    [[nodiscard]] Seconds stageTime() const
    {
        return Seconds(area.time.length() * (area.lastStage - area.firstStage + 1));
    }
};
[[nodiscard]] AreaSums areaSums(const GanttIndex& index, const GanttArea& area);
/// Kind, sum, share of the time of its stages, count, mean, longest.
[[nodiscard]] ChartTable areaTable(const AreaSums& sums);

/// Two timelines on one axis: where only one of them waits, and what the waits sum to by cause. A time that both wait
/// counts in neither, so the lengths differ by exactly what the sums differ by.
struct WaitDifference {
    struct Stage {
        std::vector<Interval> onlyFirst; ///< by time, apart from one another
        std::vector<Interval> onlySecond;
        Seconds first{}; ///< all its waits
        Seconds second{};
    };
    struct Cause {
        pipeline::Wait::Cause cause{};
        Seconds first{};
        Seconds second{};
    };
    std::vector<Stage> stages;
    std::vector<Cause> causes; ///< that occur in one of them
    Seconds first{}; ///< all waits of all stages
    Seconds second{};
    Seconds firstStep{};
    Seconds secondStep{};
};
/// Precondition: waits by stage, then start, apart from one another, as simulated.
[[nodiscard]] WaitDifference compareWaits(const pipeline::Timeline& first, const pipeline::Timeline& second);
/// Seconds of waits by cause, by stage and in all, then the steps: first, second, difference, and that in percent of
/// the first.
[[nodiscard]] ChartTable differenceTable(const WaitDifference& difference, const QString& first, const QString& second);

/// Intervals as a view of `width` pixels shows them: those that meet in a pixel are one. Seconds become pixels.
[[nodiscard]] std::vector<Interval> pixelRuns(const std::vector<Interval>& intervals, Interval view, double width);

} // namespace stratoplan::widgets
