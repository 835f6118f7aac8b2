// SPDX-License-Identifier: Apache-2.0
// What ranks send each other while they work on a linear operator: blocks to neighbours from step to step, and sums
// over the ranks that made parts of the same block.
#pragma once

#include "core/partition/linear_partition.h"
#include "core/partition/link_load.h"

namespace stratoplan::partition {

/// Of the whole operator, in elements.
struct LinearSize {
    double b = 1, m = 1, n = 1, k = 1;
    [[nodiscard]] double along(Dimension dimension) const;
    bool operator==(const LinearSize&) const = default;
};
[[nodiscard]] double elements(Tensor tensor, const LinearSize& size);
/// One tensor's blocks change hands while the ranks work on a step.
struct Move {
    Tensor tensor = Tensor::Input;
    int step = 0; ///< what is worked on meanwhile; sums travel during the step whose product is added to them
    std::vector<int> senders; ///< of each rank; itself where a block stays
};
/// Of a phase. The weight goes back to where the next forward pass expects it in the last step of the
/// backward phase.
[[nodiscard]] std::vector<Move> moves(const LinearPartition& partition, Phase phase);

/// What a move asks of the links, in blocks.
[[nodiscard]] LinkShares linkShares(const std::vector<int>& senders, const cluster::Span& group);

/// What a sequence asks of the links of a group of as many ranks, whatever the size of the operator.
struct LinearTraffic {
    LinearTraffic(const LinearPartition& partition, const cluster::Span& group);
    struct Travel {
        Tensor tensor = Tensor::Input;
        int step = 0;
        LinkShares blocks;
    };
    std::array<std::vector<Travel>, 3> travels; ///< by phase
    /// Of the weight between where the forward phase ends, and the backward phase begins, and where forward phases
    /// begin: either way, where something else runs between the two.
    LinkShares weightHome;
    std::array<unsigned, 3> reducedBits{}; ///< by phase
    std::array<int, kDimensions.size()> slices{};
    std::array<int, 3> blocks{}; ///< unlike ones, by tensor
    int steps = 1;
};

} // namespace stratoplan::partition
