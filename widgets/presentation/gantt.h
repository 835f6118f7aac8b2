// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing a timeline of up to millions of slices. Each stage has a lane of what occupies it and lanes of communication
// beside that; each lane holds its slices as columns sorted by start, so that a view touches only what it shows, and
// merges what is narrower than a pixel. Names and legend: gantt_text.h. Where lanes stand: gantt_rows.h.
#pragma once

#include "core/pipeline/pipeline.h"
#include "widgets/presentation/axis.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stratoplan::widgets {

/// The lanes of a stage. A gradient sync stands among the work while it occupies the stage, and on a lane of its own in
/// a timeline where it runs behind passes.
enum class LaneKind : std::uint8_t { Work, SendForward, SendBackward, ReshardForward, ReshardBackward, Sync };
inline constexpr std::size_t kLaneKinds = 6;

/// Slices by start, none of them without duration.
struct GanttLane {
    std::vector<float> start;
    std::vector<float> end;
    std::vector<float> reach; ///< latest end up to and including each slice: rises, so it can be searched
    std::vector<pipeline::SliceKind> kind;
    std::vector<std::uint32_t> slice; ///< index into Timeline::slices
    [[nodiscard]] std::size_t size() const { return start.size(); }
    void reserve(std::size_t slices)
    {
        start.reserve(slices);
        end.reserve(slices);
        reach.reserve(slices);
        kind.reserve(slices);
        slice.reserve(slices);
    }
};

/// A rectangle to draw: a slice, or what fills a pixel of slices narrower than that.
struct GanttMark {
    float left = 0; ///< pixels from the left of the view; whole ones where merged
    float right = 0;
    std::uint32_t slice = 0; ///< where merged: the one that fills most of the pixel, of the kind that fills most of it
    pipeline::SliceKind kind = pipeline::SliceKind::Forward;
    std::uint8_t level = 0; ///< 0: a slice of its own; 1–4: merged, quarters of the pixel that are filled, rounded up
    [[nodiscard]] bool merged() const { return level > 0; }
};
inline constexpr int kFullLevel = 4;

/// A wait to draw, wider than asked for.
struct WaitMark {
    float left = 0;
    float right = 0;
    std::uint32_t wait = 0; ///< index into Timeline::waits
};

class GanttIndex {
public:
    GanttIndex() = default;
    /// Keeps a copy of the timeline. Empty if a time in it is not finite or the makespan is not positive.
    explicit GanttIndex(pipeline::Timeline timeline);

    [[nodiscard]] bool empty() const { return m_lanes.empty(); }
    [[nodiscard]] const pipeline::Timeline& timeline() const { return m_timeline; }
    [[nodiscard]] int stages() const { return static_cast<int>(m_lanes.size()); }
    [[nodiscard]] const GanttLane& lane(int stage, LaneKind kind) const
    {
        return m_lanes[static_cast<std::size_t>(stage)][static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] const pipeline::Slice& slice(std::uint32_t i) const { return m_timeline.slices[i]; }
    [[nodiscard]] LaneKind laneOf(const pipeline::Slice& slice) const;
    /// Has any stage something on lanes of this kind?
    [[nodiscard]] bool uses(LaneKind kind) const { return m_used[static_cast<std::size_t>(kind)]; }

    /// Half-open range of positions in the lane that overlap (from, to), in seconds.
    struct Range {
        std::size_t first = 0;
        std::size_t last = 0;
    };
    [[nodiscard]] static Range visible(const GanttLane& lane, double from, double to);

    /// Rectangles of a lane for the view [view.low, view.high] seconds drawn `width` pixels wide: at most a small
    /// multiple of `width`, however many slices there are, and none of them lost. Replaces what is in `marks`.
    static void marks(const GanttLane& lane, Interval view, double width, std::vector<GanttMark>& marks);
    /// Waits of `stage` at least `narrowest` pixels wide.
    void waitMarks(int stage, Interval view, double width, double narrowest, std::vector<WaitMark>& marks) const;

    [[nodiscard]] std::optional<std::uint32_t> at(int stage, LaneKind lane, double seconds) const;
    /// The slice `direction` (±1) places along the lane of `slice`; nothing at its end.
    [[nodiscard]] std::optional<std::uint32_t> neighbour(std::uint32_t slice, int direction) const;
    [[nodiscard]] std::span<const pipeline::Wait> waits(int stage) const;
    [[nodiscard]] const pipeline::Wait* waitAt(int stage, double seconds) const;
    /// Of a wait that one of these functions gave: into Timeline::waits.
    [[nodiscard]] std::uint32_t indexOf(const pipeline::Wait& wait) const
    {
        return static_cast<std::uint32_t>(&wait - m_timeline.waits.data());
    }
    /// Of the waits of a stage, and of its slices of work: the first whose middle is after `seconds`, or, with
    /// `direction` -1, the last whose middle is before.
    [[nodiscard]] std::optional<std::uint32_t> waitBeside(int stage, double seconds, int direction) const;
    [[nodiscard]] std::optional<std::uint32_t> workBeside(int stage, double seconds, int direction) const;
    /// The waits that a slice on the lane of work ended: one after the other, what each is for.
    [[nodiscard]] std::span<const pipeline::Wait> waitsBefore(const pipeline::Slice& slice) const;
    /// The slice whose end ended a wait; nothing at the end of the step.
    [[nodiscard]] std::optional<std::uint32_t> enderOf(const pipeline::Wait& wait) const;
    /// Slices that the length of the step hangs on, by time.
    [[nodiscard]] std::span<const std::int32_t> criticalPath() const { return m_timeline.criticalPath; }
    [[nodiscard]] bool isCritical(std::uint32_t slice) const { return slice < m_critical.size() && m_critical[slice]; }
    /// Everything that is done for a micro-batch, anywhere; by stage, then start.
    [[nodiscard]] std::span<const std::uint32_t> kin(int microBatch) const;

    /// What to show first, drawn `pixels` wide: everything if there are few micro-batches; else at most the first
    /// `microBatches`, to the end of their last backward pass, and no more than keeps the numbers in the slices
    /// legible, as long as that shows how the pipeline fills and settles.
    [[nodiscard]] Interval opening(double pixels, int microBatches = 12) const;
    [[nodiscard]] Interval whole() const { return {0, m_timeline.makespan.value()}; }

private:
    void fillLanes();
    void fillKin();
    [[nodiscard]] double rounding() const; ///< of times that touch, in seconds
    [[nodiscard]] bool syncsRunBesidePasses() const;

    pipeline::Timeline m_timeline;
    std::vector<std::array<GanttLane, kLaneKinds>> m_lanes; ///< by stage
    std::array<bool, kLaneKinds> m_used{};
    bool m_syncBeside = false;
    std::vector<std::size_t> m_waitsFrom; ///< by stage: its first wait; one more at the end
    std::vector<bool> m_critical; ///< by slice
    std::vector<std::uint32_t> m_kin; ///< by micro-batch
    std::vector<std::size_t> m_kinFrom;
};

} // namespace stratoplan::widgets
