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
    [[nodiscard]] double along(Dimension dimension) const;
};
[[nodiscard]] double elements(Tensor tensor, const LinearSize& size);
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

/// The most blocks that one domain, or the ranks under one leaf, send to others or get from them; 0: none leaves it.
struct Crossing {
    bool any = false; ///< something moves at all
    int domain = 0, leaf = 0;
    bool operator==(const Crossing&) const = default;
};
[[nodiscard]] Crossing crossing(const std::vector<int>& senders, const cluster::Span& group);

/// Seconds that a move of blocks of so many bytes takes when nothing else is sent. Ranks of a domain that send across
/// its boundary share its ports.
[[nodiscard]] Seconds moveSeconds(const GroupPlace& place, const Crossing& crossing, Bytes block);
/// Where the ranks lie that differ in these bits alone; like groups share their domains' ports.
[[nodiscard]] cluster::Span spanOfBits(const cluster::Span& group, unsigned bits);

/// What a sequence asks of the links of a place, whatever the size of the operator.
struct LinearTraffic {
    LinearTraffic(const LinearPartition& partition, const cluster::Span& group);
    struct Travel {
        Tensor tensor = Tensor::Input;
        int step = 0;
        Crossing crossing;
    };
    std::array<std::vector<Travel>, 3> travels; ///< by phase
    std::array<unsigned, 3> reducedBits{}; ///< by phase
    std::array<int, kDimensions> slices{};
    std::array<int, 3> blocks{}; ///< unlike ones, by tensor
    int steps = 1;
};

} // namespace stratoplan::partition
