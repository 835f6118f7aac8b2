// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing a timeline of up to millions of slices: per stage one lane of work and one of transfers, each sorted by
// start, so that a view touches only what it shows, and merges what is narrower than a pixel.
#pragma once

#include "core/pipeline/pipeline.h"
#include "widgets/presentation/axis.h"
#include "widgets/presentation/stacks.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stratoplan {

struct GanttLane {
    std::vector<std::uint32_t> slices; ///< indices into Timeline::slices, by start
    std::vector<float> reach;          ///< latest end up to and including each slice: rises, so it can be searched
};

/// A rectangle to draw: a slice, or the dominant kind of several narrower than a pixel.
struct GanttMark {
    std::uint32_t slice = 0;
    float left = 0;  ///< pixels from the left of the view
    float right = 0;
    bool merged = false;
};

class GanttIndex {
public:
    GanttIndex() = default;
    /// Keeps a copy of the timeline. Empty if a time in it is not finite or the makespan is not positive.
    explicit GanttIndex(Timeline timeline);

    [[nodiscard]] bool empty() const { return m_work.empty(); }
    [[nodiscard]] const Timeline& timeline() const { return m_timeline; }
    [[nodiscard]] int stages() const { return static_cast<int>(m_work.size()); }
    [[nodiscard]] const GanttLane& work(int stage) const { return m_work[static_cast<std::size_t>(stage)]; }
    [[nodiscard]] const GanttLane& transfers(int stage) const { return m_transfers[static_cast<std::size_t>(stage)]; }
    [[nodiscard]] const Slice& slice(std::uint32_t i) const { return m_timeline.slices[i]; }

    /// Half-open range of positions in the lane that overlap (from, to), in seconds.
    struct Range {
        std::size_t first = 0;
        std::size_t last = 0;
    };
    [[nodiscard]] Range visible(const GanttLane& lane, double from, double to) const;

    /// Rectangles of a lane for the view [view.low, view.high] seconds drawn `width` pixels wide: at most a small
    /// multiple of `width`, however many slices there are.
    [[nodiscard]] std::vector<GanttMark> marks(const GanttLane& lane, Interval view, double width) const;

    /// The slice of work of `stage` at `seconds`; of transfers with `transfer`.
    [[nodiscard]] std::optional<std::uint32_t> at(int stage, double seconds, bool transfer = false) const;
    [[nodiscard]] std::optional<Wait> waitAt(int stage, double seconds) const;

    /// What to show first, drawn `pixels` wide: everything if there are few micro-batches; else at most the first
    /// `microBatches`, to the end of their last backward pass, and no more than keeps the numbers in the slices
    /// legible, as long as that shows how the pipeline fills and settles.
    [[nodiscard]] Interval opening(double pixels, int microBatches = 12) const;
    [[nodiscard]] Interval whole() const { return {0, m_timeline.makespan.value()}; }

private:
    Timeline m_timeline;
    std::vector<GanttLane> m_work;
    std::vector<GanttLane> m_transfers;
};

[[nodiscard]] Mark markOf(SliceKind kind);
[[nodiscard]] Pattern patternOf(SliceKind kind);
[[nodiscard]] bool isTransfer(SliceKind kind);
/// "backward", "send forward", …
[[nodiscard]] QString nameOf(SliceKind kind);
/// As it is counted aloud: "chunk 2 of 3".
[[nodiscard]] QString chunkText(const Slice& slice, const Timeline& timeline);
/// "waits for the gradient of the next stage"
[[nodiscard]] QString causeText(Wait::Cause cause);
/// "8 stages × 3 chunks · 96 micro-batches · bubble 2.4 %"
[[nodiscard]] QString summary(const Timeline& timeline);
[[nodiscard]] std::vector<LegendEntry> ganttLegend(const Timeline& timeline);

} // namespace stratoplan
