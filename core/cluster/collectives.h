// SPDX-License-Identifier: Apache-2.0
// Closed-form times of collectives on a topology: rings, trees, in-switch reduction, and the hierarchical form of each.
// A group is described by how many of its ranks share a scale-up domain and a leaf, and by how many like groups run at
// the same time over the same uplink. Bytes are those of the whole (gathered) tensor unless said otherwise.
// A group inside one domain takes the measured times of its link where the topology carries them (kernel_tables.h).
// Formulas: Thakur, Rabenseifner, Gropp (2005), and the NCCL tests' "busbw" identities; a group of one costs nothing.
#pragma once

#include "core/cluster/cluster.h"

namespace stratoplan::cluster {

/// A group of ranks as the topology sees it. Ranks are spread evenly over domains and leaves.
struct Span {
    int size = 1; ///< ranks of the group
    int inside = 1; ///< of which in one scale-up domain (level 0)
    int sharingUplink = 1; ///< groups that use the network ports of one domain at the same time, this one included
    int insideLeaf = 0; ///< ranks of the group under one leaf (level 1 of three); 0 = all
    int sharingLeaf = 1; ///< groups that use the uplinks of one leaf at the same time, this one included
    bool operator==(const Span&) const = default;
};

enum class CollectiveAlgorithm {
    Fastest, ///< as measured; else the fastest of ring, hierarchical and (for an all-reduce) tree
    Ring, ///< one flat ring over all ranks
    Hierarchical, ///< inside every domain first, then between domains
    DoubleTree, ///< all-reduce only; all other collectives use the ring
    InSwitch, ///< all-reduce only, needs switches that reduce (NVLS, SHARP); never chosen by Fastest
};

/// Bytes per second that one group gets out of a domain (or out of a leaf, if it crosses leaves and that is less).
[[nodiscard]] BytesPerSecond uplinkBandwidth(const Topology& topology, const Span& span);

/// Every rank ends with `gathered` bytes, having started with 1/n of them. (n-1) lat + (n-1)/n S/bw.
[[nodiscard]] Seconds allGather(const Topology& topology, const Span& span, Bytes gathered,
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Fastest);
/// Every rank starts with `full` bytes and ends with its 1/n of the sum. Same time as the all-gather.
[[nodiscard]] Seconds reduceScatter(const Topology& topology, const Span& span, Bytes full,
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Fastest);
/// Every rank starts and ends with `full` bytes. Ring: 2 (n-1) lat + 2 (n-1)/n S/bw; tree: 2 log2(n) lat + 2 S/bw;
/// in the switch: 2 lat + S/bw.
[[nodiscard]] Seconds allReduce(const Topology& topology, const Span& span, Bytes full,
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Fastest);
/// Every rank sends 1/n of its `local` bytes to every rank. (n-1) lat + (n-1)/n S/bw; inside and outside traffic
/// overlap.
[[nodiscard]] Seconds allToAll(const Topology& topology, const Span& span, Bytes local);
/// Every rank ends with the `full` bytes that one of them started with, passed on piece by piece. (n-1) lat + S/bw.
[[nodiscard]] Seconds broadcast(const Topology& topology, const Span& span, Bytes full);
/// From a rank of the group to the next, over the slowest boundary of the group. lat + S/bw.
[[nodiscard]] Seconds pointToPoint(const Topology& topology, const Span& span, Bytes bytes);

} // namespace stratoplan::cluster
