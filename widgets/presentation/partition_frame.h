// SPDX-License-Identifier: GPL-3.0-or-later
// A moment of a divided operator as it is drawn: a cell for each rank with a band for each tensor shown, arrows, and
// groups that sum up. It knows ranks, labels and tones, and no mathematics.
#pragma once

#include "widgets/presentation/block_colours.h"
#include "widgets/presentation/partition_scene.h"

#include <QString>
#include <optional>

namespace stratoplan::widgets {

/// What a rank holds of a tensor.
struct BlockBand {
    QString symbol; ///< "dW"; "" where nothing needs to be told apart
    QString label; ///< "N1 K0"
    QString shortLabel; ///< "1,0", where there is less room
    int block = 0; ///< ranks with the same number hold copies
    BlockTone tone;
    bool operator==(const BlockBand&) const = default;
};

struct BlockArrow {
    int band = 0;
    int from = 0, to = 0; ///< ranks
    bool across = false; ///< from domain to domain
    bool operator==(const BlockArrow&) const = default;
};

struct PartitionFrame {
    int bits = 0; ///< of a rank's number
    unsigned columnBits = 0; ///< columnBits()
    int ranksPerDomain = 1;
    std::vector<std::vector<BlockBand>> ranks; ///< as many bands each
    std::vector<QString> tips; ///< by rank, rich text
    std::vector<BlockArrow> arrows;
    std::vector<std::vector<int>> sumGroups;
    QString summed; ///< "dW"
    bool operator==(const PartitionFrame&) const = default;
};

/// -1: none.
[[nodiscard]] int sumGroupOf(const PartitionFrame& frame, int rank);

/// Where the ranks of a group are: the same for all its operators.
struct GroupLook {
    int bits = 0;
    unsigned columnBits = 0;
    int ranksPerDomain = 1;
};
/// `shown`: the only tensor, or all three.
[[nodiscard]] PartitionFrame partitionFrame(
    const PartitionScene& scene, const GroupLook& group, Moment moment, std::optional<partition::Tensor> shown);
/// Of each rank's bands, without their texts.
[[nodiscard]] std::vector<std::vector<BlockTone>> tonesAt(
    const PartitionScene& scene, Moment moment, std::optional<partition::Tensor> shown);
[[nodiscard]] BlockTone toneOf(const PartitionScene& scene, const HeldBlock& block);
/// Of an operator that is not linear: axisSlices() of its division.
[[nodiscard]] PartitionFrame axesFrame(const QString& axes, const GroupLook& group);

} // namespace stratoplan::widgets
