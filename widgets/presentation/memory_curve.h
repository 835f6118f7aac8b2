// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of the stages over one step, ready to draw: curves thinned to what a view can show, and the words for an
// instant. Nothing that is not finite ever becomes a curve.
#pragma once

#include "core/estimate/memory_timeline.h"
#include "widgets/presentation/axis.h"
#include "widgets/presentation/stacks.h"

#include <QPointF>
#include <QString>
#include <optional>
#include <vector>

namespace stratoplan::widgets {

struct MemoryCurveView {
    estimate::MemoryTimeline timeline;
    Bytes capacity{}; ///< of the stage at the peak
    std::vector<Bytes> capacities; ///< of all stages, each once, rising; none that is not known
    double largest = 0; ///< the highest of capacities and peaks, bytes
    int chunks = 1;
    std::vector<int> drawn; ///< stages with a line of their own, rising; the one with the peak is among them
    std::vector<LegendEntry> legend;
    [[nodiscard]] bool fits() const { return timeline.peak().bytes <= capacity; }
    [[nodiscard]] Bytes capacityOf(int stage) const;
};

/// Nothing if a number is not finite or the step takes no time. At most `mostLines` stages are drawn: the first, the
/// last, the one with the peak, and others evenly between.
[[nodiscard]] std::optional<MemoryCurveView> memoryCurveView(
    estimate::MemoryTimeline timeline, Bytes capacity, int chunks, int mostLines = 12);

/// Corners (seconds, bytes) of the step function within `view`, `width` pixels wide: at most four a pixel, and none of
/// the highest or lowest of a pixel is lost. The last point holds until `end`.
[[nodiscard]] std::vector<QPointF> curveCorners(
    const std::vector<estimate::MemoryPoint>& points, Seconds end, Interval view, double width);

/// "stage 0, in the backward pass of micro-batch 1, 57.2 s"
[[nodiscard]] QString peakInstant(const estimate::MemoryPeak& peak, int chunks);

} // namespace stratoplan::widgets
