// SPDX-License-Identifier: Apache-2.0
// Closed-form times of collectives on a topology: rings, trees, recursive halving and doubling, in-switch reduction,
// and hierarchical forms. A group is described by how many of its ranks share a scale-up domain, a leaf, a pod, and by
// how many like groups leave these at the same time. Bytes are those of the whole (gathered) tensor unless said
// otherwise. A group inside one domain takes the measured times of its link where the topology carries them
// (kernel_tables.h); of one that is a torus it has the links of the axes that it spans (torus.h). Formulas: Thakur,
// Rabenseifner, Gropp (2005), and the NCCL tests' "busbw" identities; which are chosen: NCCL 2.29, src/graph/tuning.cc.
// A group of one costs nothing.
#pragma once

#include "core/cluster/cluster.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace stratoplan::cluster {

/// What of a group lies in one unit of a level.
struct InUnit {
    int ranks = 0; ///< of the group; 0 = all
    float sharing = 1; ///< groups that leave it at the same time, this one included; of unlike units the mean
    bool operator==(const InUnit&) const = default;
};
/// Levels whose units a group can leave, beside the scale-up domain: nodes, leaves, pods.
inline constexpr std::size_t kOuterUnits = kMostLevels - 2;

/// A group of ranks as the topology sees it. Ranks are spread evenly over the units of each level.
struct Span {
    int size = 1; ///< ranks of the group
    int inside = 1; ///< of which in one scale-up domain (level 0)
    int sharingUplink = 1; ///< groups that leave one domain at the same time, this one included
    std::array<InUnit, kOuterUnits> outer{}; ///< in one unit of level 1, 2, …
    TorusBox box{}; ///< where those inside lie in a domain that is a torus; the best place where it is not stated
    bool operator==(const Span&) const = default;
};
inline constexpr std::size_t kNumbersOfSpan = 3 + 2 * kOuterUnits + kMostTorusAxes;
[[nodiscard]] inline std::array<int, kNumbersOfSpan> numbersOf(const Span& span)
{
    std::array<int, kNumbersOfSpan> numbers{span.size, span.inside, span.sharingUplink};
    for (std::size_t i = 0; i < kOuterUnits; ++i) {
        numbers[3 + 2 * i] = span.outer[i].ranks;
        numbers[4 + 2 * i] = std::bit_cast<int>(span.outer[i].sharing);
    }
    std::ranges::copy(numbersOf(span.box), numbers.end() - kMostTorusAxes);
    return numbers;
}
/// Ranks of the group in one unit of the level, and groups that leave such a unit at the same time.
[[nodiscard]] inline int ranksIn(const Span& span, std::size_t level)
{
    if (level == 0)
        return span.inside;
    const int ranks = level <= kOuterUnits ? span.outer[level - 1].ranks : 0;
    return ranks > 0 ? ranks : span.size;
}
[[nodiscard]] inline double sharing(const Span& span, std::size_t level)
{
    return std::max(1.0,
        level == 0                 ? span.sharingUplink
            : level <= kOuterUnits ? double(span.outer[level - 1].sharing)
                                   : 1);
}
/// Whether the group sends over the links of a level: it leaves a unit of the level below.
[[nodiscard]] bool crosses(const Topology& topology, const Span& span, std::size_t level);

enum class CollectiveAlgorithm {
    Fastest, ///< as measured; else the fastest of those that the topology has
    Ring, ///< one flat ring over all ranks; of an all-to-all: every rank sends to every other one
    Hierarchical, ///< inside every domain first, on a torus by rings along all its axes at once; then between domains
    Recursive, ///< halving and doubling between domains, each in log2 rounds (NCCL's PAT); a ring inside
    DoubleTree, ///< all-reduce only; all other collectives use the ring
    InSwitch, ///< all-reduce only: switches sum up (NVLS, SHARP); Fastest has it where all on the way do
};

/// Bytes per second that one group gets out of a unit below the level (1: of a domain), of which it has `active` ranks.
[[nodiscard]] BytesPerSecond exitBandwidth(const Topology& topology, const Span& span, std::size_t level, int active);
/// The least of these over all levels that the group crosses; of a group inside one domain, the rate inside.
[[nodiscard]] BytesPerSecond uplinkBandwidth(const Topology& topology, const Span& span);
/// That a rank of the group has to those in its domain: of a torus, of the axes that the group spans.
[[nodiscard]] BytesPerSecond bandwidthInside(const Topology& topology, const Span& span);

/// Every rank ends with `gathered` bytes, having started with 1/n of them. (n-1) lat + (n-1)/n S/bw; along all axes of
/// a torus: hops of each axis, and the bandwidth of all of them (LinkUse).
[[nodiscard]] Seconds allGather(const Topology& topology, const Span& span, Bytes gathered,
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Fastest);
/// Every rank starts with `full` bytes and ends with its 1/n of the sum. Same time as the all-gather.
[[nodiscard]] Seconds reduceScatter(const Topology& topology, const Span& span, Bytes full,
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Fastest);
/// Every rank starts and ends with `full` bytes. Ring: 2 (n-1) lat + 2 (n-1)/n S/bw; tree: 2 log2(n) lat + 2 S/bw;
/// recursive: 2 (ceil(log2 n) + n/5) lat + 2 (n-1)/n S/(3/4 bw); in the switch: 2 lat + S/bw. Inside a torus, which has
/// neither trees nor switches: reduce-scatter and all-gather, whatever is asked for.
[[nodiscard]] Seconds allReduce(const Topology& topology, const Span& span, Bytes full,
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Fastest);
/// Every rank sends 1/n of its `local` bytes to every rank. Directly: (n-1) lat + (n-1)/n S/bw, on a torus by its
/// bisection (LinkUse); inside and outside
/// traffic overlap. Hierarchically what goes to one rank of each other domain is gathered inside first, which takes a
/// latency for each other rank inside and for each other domain alone (NCCL's PXN; Tutel's 2DH, arXiv 2206.03382).
[[nodiscard]] Seconds allToAll(const Topology& topology, const Span& span, Bytes local,
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Fastest);
/// Every rank ends with the `full` bytes that one of them started with, passed on piece by piece. (n-1) lat + S/bw.
[[nodiscard]] Seconds broadcast(const Topology& topology, const Span& span, Bytes full);
/// From a rank of the group to the next, over the slowest boundary of the group, on a torus over one link. lat + S/bw.
[[nodiscard]] Seconds pointToPoint(const Topology& topology, const Span& span, Bytes bytes);

} // namespace stratoplan::cluster
