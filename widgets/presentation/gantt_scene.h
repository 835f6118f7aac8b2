// SPDX-License-Identifier: GPL-3.0-or-later
// What a pipeline chart shows, apart from pixels: one step or two on one axis, their lanes in rows, and where in time
// each slice and wait stands. Pixels: gantt_layout.h; words: gantt_scene_text.h.
#pragma once

#include "widgets/presentation/gantt_rows.h"
#include "widgets/presentation/gantt_step.h"

#include <array>
#include <optional>

namespace stratoplan::widgets {

/// A slice or a wait of the timeline shown, or of the one it is compared with.
struct GanttRef {
    int timeline = 0;
    std::uint32_t slice = 0; ///< index into Timeline::slices, or into Timeline::waits
    bool isWait = false;
    bool operator==(const GanttRef&) const = default;
};

/// Where either stands; seconds.
struct GanttPlace {
    int stage = 0;
    Interval time;
    int microBatch = -1; ///< -1: none
    [[nodiscard]] double middle() const { return (time.low + time.high) / 2; }
};

inline constexpr double kShortestView = 1e-6; ///< of the makespan: as far as one can zoom in

class GanttScene {
public:
    struct Step {
        QString name;
        QString rowName; ///< beside its rows
        GanttStepPointer step = std::make_shared<const GanttStep>();
    };

    /// One step, and what its stages may hold. Ends a comparison.
    void show(const GanttStepPointer& step, Bytes capacity);
    /// A second one under the first; `ownName` is the name of the first.
    void compare(const QString& ownName, Step second);
    void endComparison();
    void setUnfolded(int stage, bool unfolded);
    void setAllUnfolded(bool unfolded);

    [[nodiscard]] bool isEmpty() const { return index().empty(); }
    [[nodiscard]] bool isComparing() const { return m_difference.has_value(); }
    [[nodiscard]] const std::optional<WaitDifference>& difference() const { return m_difference; }
    [[nodiscard]] int timelines() const { return m_difference ? 2 : 1; }
    [[nodiscard]] const Step& shown(int timeline) const { return m_steps[static_cast<std::size_t>(timeline)]; }
    [[nodiscard]] const GanttStep& step(int timeline = 0) const { return *shown(timeline).step; }
    [[nodiscard]] const GanttIndex& index(int timeline = 0) const { return step(timeline).index; }
    [[nodiscard]] const GanttArrangement& arrangement() const { return m_arrangement; }
    [[nodiscard]] const GanttRows& rows() const { return m_rows; }
    [[nodiscard]] bool areAllUnfolded() const;
    [[nodiscard]] bool isAnyUnfolded() const;
    /// Do stages that a step to come has more of begin unfolded?
    [[nodiscard]] bool unfoldsNewStages() const { return m_unfoldsNew; }
    /// Of all timelines, seconds.
    [[nodiscard]] Interval whole() const;
    /// Bytes at the foot and at the top of memory rows.
    [[nodiscard]] Interval memoryScale() const { return m_memoryScale; }
    [[nodiscard]] Bytes capacity() const { return m_capacity; }

    /// Is there such a slice or wait?
    [[nodiscard]] bool holds(GanttRef ref) const;
    [[nodiscard]] const pipeline::Slice& sliceOf(GanttRef ref) const { return index(ref.timeline).slice(ref.slice); }
    [[nodiscard]] const pipeline::Wait& waitOf(GanttRef ref) const
    {
        return index(ref.timeline).timeline().waits[ref.slice];
    }
    [[nodiscard]] GanttPlace placeOf(GanttRef ref) const;
    [[nodiscard]] LaneKind laneOf(GanttRef ref) const;
    /// What ended a wait, or the wait before a slice; nothing if it did not wait, or until the end of the step.
    [[nodiscard]] std::optional<GanttRef> causeOf(GanttRef ref) const;
    /// `area` within the step and its stages, its ends in order and apart.
    [[nodiscard]] GanttArea confined(const GanttArea& area) const;

private:
    void arrange();
    void scaleMemory();

    std::array<Step, 2> m_steps;
    std::optional<WaitDifference> m_difference; ///< there is a second step
    GanttArrangement m_arrangement;
    GanttRows m_rows;
    Interval m_memoryScale{0, 0};
    Bytes m_capacity{};
    bool m_unfoldsNew = false;
};

} // namespace stratoplan::widgets
