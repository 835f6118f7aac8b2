// SPDX-License-Identifier: GPL-3.0-or-later
// What the marks, labels and colours of a partition grid mean: a line of entries, and the whole of it as a tooltip.
#pragma once

#include "widgets/presentation/partition_frame.h"

namespace stratoplan::widgets {

enum class GridMark { None, ArrowInside, ArrowAcross, SumFrame };

struct GridLegendEntry {
    GridMark mark = GridMark::None;
    QString text;
    bool operator==(const GridLegendEntry&) const = default;
};

struct PartitionLegend {
    std::vector<GridLegendEntry> entries; ///< the most needed first
    QString explanation; ///< rich text
    bool operator==(const PartitionLegend&) const = default;
};

/// Tensors are named as the phase has them; arrows and sums are those of any moment, so that entries stay while it
/// plays.
[[nodiscard]] PartitionLegend partitionLegend(const PartitionScene& scene, const GroupLook& group,
    partition::Phase phase, std::optional<partition::Tensor> shown);
/// Of an operator that is not linear.
[[nodiscard]] PartitionLegend axesLegend(const QString& axes, const GroupLook& group);

} // namespace stratoplan::widgets
