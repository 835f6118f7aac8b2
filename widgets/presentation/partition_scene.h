// SPDX-License-Identifier: GPL-3.0-or-later
// What a group of ranks holds, sends and sums up while it works on a linear operator: each phase step by step. A moment
// is a step of a phase; moments are numbered from the first step of the forward phase on.
#pragma once

#include "core/partition/linear_moves.h"
#include "core/units/quantity.h"

#include <QtGlobal>
#include <array>
#include <vector>

namespace stratoplan::widgets {

using Moment = partition::LinearPartition::Moment;

/// The slice of each dimension that a block of a tensor is; 0 along those that the tensor lacks.
struct HeldBlock {
    partition::Tensor tensor = partition::Tensor::Input;
    std::array<int, partition::kDimensions.size()> slices{};
    int number = 0; ///< among the blocks of its tensor
    bool operator==(const HeldBlock&) const = default;
};

/// A block on its way from rank to rank.
struct Transfer {
    partition::Tensor tensor = partition::Tensor::Input;
    int from = 0, to = 0;
    bool across = false; ///< from domain to domain
    bool isSum = false; ///< a sum that is still growing: the receiver adds its product of this moment
    bool operator==(const Transfer&) const = default;
};

/// Elements of a dimension, from the first to the last of a slice.
struct ElementRange {
    qint64 first = 0, last = 0;
    bool operator==(const ElementRange&) const = default;
};

class PartitionScene {
public:
    struct Setting {
        partition::Sequence sequence;
        partition::LinearSize size;
        double bytesPerElement = 2;
        int ranksPerDomain = 8; ///< neighbouring numbers
    };
    explicit PartitionScene(Setting setting);

    [[nodiscard]] const Setting& setting() const { return m_setting; }
    [[nodiscard]] const partition::LinearPartition& division() const { return m_division; }
    [[nodiscard]] int ranks() const { return m_division.ranks(); }
    [[nodiscard]] int moments() const { return 3 * m_division.steps(); }
    [[nodiscard]] Moment momentAt(int index) const;
    /// Within a phase the work of a step is done and its sums are complete.
    [[nodiscard]] bool endsPhase(Moment moment) const { return moment.step == m_division.steps() - 1; }

    [[nodiscard]] HeldBlock held(partition::Tensor tensor, int rank, Moment moment) const;
    [[nodiscard]] ElementRange elements(const HeldBlock& block, partition::Dimension dimension) const;
    [[nodiscard]] Bytes blockBytes(partition::Tensor tensor) const;

    /// Under way while the ranks work on this step.
    [[nodiscard]] std::vector<Transfer> transfers(Moment moment) const;
    /// Ranks that sum up what the phase has made, after its last step; none before, and where nobody has to.
    [[nodiscard]] std::vector<std::vector<int>> sumGroups(Moment moment) const;

private:
    Setting m_setting;
    partition::LinearPartition m_division;
    std::array<std::vector<partition::Move>, partition::kPhases.size()> m_moves;
};

/// Groups of the ranks that differ in these bits alone, by their first rank; none for no bits.
[[nodiscard]] std::vector<std::vector<int>> groupsOf(unsigned bits, int ranks);

/// Bits of a rank's number that lay ranks out side by side, the others one below the other: every second one where
/// there is a primitive, so that the shifts of the first of the highest order follow rows and columns; otherwise the
/// lower half. Ranks of a domain of a power of two always form a rectangle.
[[nodiscard]] unsigned columnBits(const std::vector<partition::Sequence>& sequences, int bits);

/// What SUMMA (van de Geijn and Watts, 1997) has each rank of an n x n grid receive for one product of a phase, whose
/// two operands have so many bytes each on the whole grid: of both the blocks of its row and its column, one of the n
/// by broadcast in each of n steps, all but those it holds itself: (n - 1) / n^2 of the operands.
[[nodiscard]] Bytes summaBytes(int side, Bytes first, Bytes second);

} // namespace stratoplan::widgets
