// SPDX-License-Identifier: GPL-3.0-or-later
// Names, colours and textures of what a timeline shows: every kind of slice and every cause of a wait has both.
#pragma once

#include "core/pipeline/pipeline.h"
#include "widgets/presentation/gantt.h"
#include "widgets/presentation/stacks.h"

#include <QString>
#include <vector>

namespace stratoplan::widgets {

[[nodiscard]] Mark markOf(pipeline::SliceKind kind);
[[nodiscard]] Pattern patternOf(pipeline::SliceKind kind);
/// A wait is drawn in the bubble's colour on the ground of the lane.
[[nodiscard]] Pattern patternOf(pipeline::Wait::Cause cause);
/// "backward", "send activation", …
[[nodiscard]] QString nameOf(pipeline::SliceKind kind);
/// Of the lanes beside the work: "activations out", …
[[nodiscard]] QString nameOf(LaneKind lane);
/// In a table or a legend: "filling", "waiting for an activation", …
[[nodiscard]] QString nameOf(pipeline::Wait::Cause cause);
/// As a sentence about the stage: "waits for the gradient of another stage"
[[nodiscard]] QString causeText(pipeline::Wait::Cause cause);
/// As it is counted aloud: "chunk 2 of 3".
[[nodiscard]] QString chunkText(const pipeline::Slice& slice, const pipeline::Timeline& timeline);
/// "stage 3 · backward · micro-batch 7 · chunk 2 of 3"
[[nodiscard]] QString titleOf(const pipeline::Slice& slice, const pipeline::Timeline& timeline);
/// "8 stages × 3 chunks · 96 micro-batches · idle 2.4 % of all stages' time"
[[nodiscard]] QString summary(const pipeline::Timeline& timeline);
/// From one time of a timeline to another: "+1.20 s"; "±0" where they differ by rounding.
[[nodiscard]] QString changeText(Seconds from, Seconds to);
/// The same as a share of the first: "+3.9 %".
[[nodiscard]] QString shareChangeText(Seconds from, Seconds to);
/// What occurs: kinds of slices, then causes of waits.
[[nodiscard]] std::vector<LegendEntry> ganttLegend(const pipeline::Timeline& timeline);

} // namespace stratoplan::widgets
