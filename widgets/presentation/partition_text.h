// SPDX-License-Identifier: GPL-3.0-or-later
// Phases, tensors and blocks of a divided operator as short texts, the same in every view.
#pragma once

#include "widgets/presentation/partition_scene.h"
#include "widgets/presentation/table.h"

#include <QString>

namespace stratoplan::widgets {

/// "Forward"
[[nodiscard]] QString phaseName(partition::Phase phase);
/// "W"; "dW" where the phase makes its gradient.
[[nodiscard]] QString tensorSymbol(partition::Tensor tensor, partition::Phase phase);
/// "weight", "weight gradient"
[[nodiscard]] QString tensorName(partition::Tensor tensor, partition::Phase phase);
/// "forward, step 2 of 4"
[[nodiscard]] QString momentText(const PartitionScene& scene, Moment moment);
/// "4, 5, 6 and 7"
[[nodiscard]] QString ranksText(const std::vector<int>& ranks);

/// "N1 K0": its slices along the dimensions that are cut; "whole" where none is.
[[nodiscard]] QString blockLabel(const PartitionScene& scene, const HeldBlock& block);
/// "1,0"
[[nodiscard]] QString shortBlockLabel(const PartitionScene& scene, const HeldBlock& block);
/// "N 2,048–4,095, K 0–511": all its dimensions
[[nodiscard]] QString rangesText(const PartitionScene& scene, const HeldBlock& block);
/// "N 2,048–4,095\nK 0–511": those that are cut; "whole" where none is.
[[nodiscard]] QString cutRangesText(const PartitionScene& scene, const HeldBlock& block);
/// "8 sequences × 2,048 tokens, 4,096 → 1,024 wide"
[[nodiscard]] QString sizeText(const partition::LinearSize& size);
/// "W: 4 blocks of 16.0 MiB, 2 copies each"
[[nodiscard]] QString blocksText(const PartitionScene& scene, partition::Tensor tensor);

/// What happens at a moment, in one or two sentences.
[[nodiscard]] QString momentSentence(const PartitionScene& scene, Moment moment);
/// What a rank holds, sends, receives and sums up then, a line each, as rich text.
[[nodiscard]] QString rankTip(const PartitionScene& scene, Moment moment, int rank);
/// What a rank holds at each moment: a row each.
[[nodiscard]] ChartTable rankTable(const PartitionScene& scene, int rank);

/// Slices by axis of an operator that is not linear, as core/partition describes its division: "B,M,H" (K channels, H
/// heads, J keys), "-" where ranks hold copies. Letters in the order in which they first occur.
struct AxisSlice {
    QChar axis;
    int slice = 0, slices = 1;
    bool operator==(const AxisSlice&) const = default;
};
[[nodiscard]] std::vector<AxisSlice> axisSlices(const QString& axes, int rank);
/// "batch"; the letter itself where it has no meaning.
[[nodiscard]] QString axisName(QChar axis);

} // namespace stratoplan::widgets
