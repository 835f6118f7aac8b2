// SPDX-License-Identifier: Apache-2.0
// What ranks send each other while they work on a linear operator: blocks to neighbours from step to step, and sums
// over the ranks that made parts of the same block.
#pragma once

#include "core/cluster/collectives.h"
#include "core/partition/linear_partition.h"

namespace stratoplan::partition {

/// Of the whole operator, in elements.
struct LinearSize {
    double b = 1, m = 1, n = 1, k = 1;
    [[nodiscard]] double of(Dimension dimension) const;
};
[[nodiscard]] double elements(Tensor tensor, const LinearSize& size);
/// Of the block that a rank holds.
[[nodiscard]] double blockElements(const LinearPartition& partition, Tensor tensor, const LinearSize& size);

/// One tensor's blocks change hands while the ranks work on a step.
struct Move {
    Tensor tensor = Tensor::Input;
    int step = 0; ///< what is worked on meanwhile; sums travel during the step whose product is added to them
    std::vector<int> senders; ///< of each rank; itself where a block stays
    bool operator==(const Move&) const = default;
};
/// Of a phase, in order. The weight goes back to where the next forward pass expects it in the last step of the
/// backward phase.
[[nodiscard]] std::vector<Move> moves(const LinearPartition& partition, Phase phase);

/// Ranks of a group as the topology sees them: those of neighbouring numbers share a domain.
struct GroupPlace {
    const cluster::Topology& topology;
    cluster::Span span; ///< of the whole group
};

/// Seconds that a move of blocks of so many bytes takes when nothing else is sent. Ranks of a domain that send across
/// its boundary share its ports.
[[nodiscard]] Seconds moveSeconds(const GroupPlace& place, const std::vector<int>& senders, Bytes block);
/// Where the ranks lie that differ in these bits alone; like groups share their domains' ports.
[[nodiscard]] cluster::Span spanOfBits(const cluster::Span& group, unsigned bits);

} // namespace stratoplan::partition
