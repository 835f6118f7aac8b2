// SPDX-License-Identifier: Apache-2.0
// Replicas of a strategy that run alike. Those on unlike nodes each go at a pace of their own until they reduce the
// gradients, and may run unlike numbers of micro-batches.
#pragma once

#include "core/cluster/node_kinds.h"
#include "core/parallel/strategy.h"

#include <vector>

namespace stratoplan::parallel {

struct ReplicaKind {
    std::vector<cluster::KindSet> stages; ///< kinds of nodes that its ranks of each pipeline stage lie on
    std::vector<int> replicas; ///< along DP, rising; none: all, each stage as slow as its slowest rank
    bool operator==(const ReplicaKind&) const = default;
};

/// Every replica in one of them, by the first of each: on the same kinds of nodes, with as many micro-batches.
[[nodiscard]] std::vector<ReplicaKind> replicaKinds(const Strategy& strategy, const cluster::NodeKinds& kinds);

/// The strategy where every replica has as many micro-batches as the one of these that has most.
[[nodiscard]] Strategy ofReplicas(Strategy strategy, const ReplicaKind& kind);

} // namespace stratoplan::parallel
