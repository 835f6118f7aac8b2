// SPDX-License-Identifier: GPL-3.0-or-later
// Names, colours and textures of what a timeline shows: every kind of slice and every cause of a wait has both.
#pragma once

#include "core/pipeline/pipeline.h"
#include "widgets/presentation/gantt.h"
#include "widgets/presentation/stacks.h"

#include <QString>
#include <vector>

namespace stratoplan {

[[nodiscard]] Mark markOf(SliceKind kind);
[[nodiscard]] Pattern patternOf(SliceKind kind);
/// A wait is drawn in the bubble's colour on the ground of the lane.
[[nodiscard]] Pattern patternOf(Wait::Cause cause);
[[nodiscard]] bool isTransfer(SliceKind kind);
/// "backward", "send activation", …
[[nodiscard]] QString nameOf(SliceKind kind);
/// Of the lanes beside the work: "activations out", …
[[nodiscard]] QString nameOf(LaneKind lane);
/// In a table or a legend: "filling", "waiting for an activation", …
[[nodiscard]] QString nameOf(Wait::Cause cause);
/// As a sentence about the stage: "waits for the gradient of another stage"
[[nodiscard]] QString causeText(Wait::Cause cause);
/// As it is counted aloud: "chunk 2 of 3".
[[nodiscard]] QString chunkText(const Slice& slice, const Timeline& timeline);
/// "stage 3 · backward · micro-batch 7 · chunk 2 of 3"
[[nodiscard]] QString titleOf(const Slice& slice, const Timeline& timeline);
/// "8 stages × 3 chunks · 96 micro-batches · idle 2.4 % of all stages' time"
[[nodiscard]] QString summary(const Timeline& timeline);
/// From one time of a timeline to another: "+1.20 s"; "±0" where they differ by rounding.
[[nodiscard]] QString changeText(Seconds from, Seconds to);
/// The same as a share of the first: "+3.9 %".
[[nodiscard]] QString shareChangeText(Seconds from, Seconds to);
/// What occurs: kinds of slices, then causes of waits.
[[nodiscard]] std::vector<LegendEntry> ganttLegend(const Timeline& timeline);

} // namespace stratoplan
