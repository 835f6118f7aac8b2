// SPDX-License-Identifier: GPL-3.0-or-later
// What the partition page shows of an answer: the divisions to choose from, what they cost, and a picture of the layer.
#pragma once

#include "app/session/partition_worker.h"
#include "widgets/partition/partition_picture.h"

#include <QString>

namespace stratoplan::gui {

/// A division of the layer to look at; it refers to the report.
struct PartitionChoice {
    enum class Kind { Planned, Best, Front, Megatron, DataParallel } kind = Kind::Best;
    QString name; ///< "Best spatial-temporal"
    const estimate::PartitionEstimate* estimate = nullptr;
};
/// What the plan has first, where that is none of the others, the fastest points of the front before those that need
/// less. Precondition: a plan with a result.
[[nodiscard]] std::vector<PartitionChoice> partitionChoices(const session::PartitionReport& report);

/// "88.2 s, 113 GiB, does not fit"
[[nodiscard]] QString figuresText(const estimate::PartitionEstimate& partition);
/// "Best 88.2 s, 113 GiB; Megatron, sequence parallel 85.0 s, 151 GiB"
[[nodiscard]] QString comparisonText(const estimate::PartitionAnswer& answer);
/// That the front is only some of it; empty where it is whole, or not known yet.
[[nodiscard]] QString frontText(const estimate::PartitionAnswer& answer);
/// What keeps the layers from being divided, a paragraph each.
[[nodiscard]] QString reasonsText(const std::vector<plan::Problem>& problems);

/// Of the choice shown, beside what the others cost.
[[nodiscard]] widgets::PartitionPicture partitionPicture(
    const session::PartitionReport& report, const std::vector<PartitionChoice>& choices, int shown);

} // namespace stratoplan::gui
