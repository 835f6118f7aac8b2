// SPDX-License-Identifier: Apache-2.0
// What replicas on unlike nodes, or with unlike numbers of micro-batches, each take and hold.
#pragma once

#include "core/estimate/stage_memory.h"
#include "core/pricing/priced_replicas.h"

#include <string>
#include <vector>

namespace stratoplan::estimate {

/// Of replicas that run alike.
struct ReplicaStep {
    int replicas = 0;
    int microBatches = 0; ///< of each, in a step
    std::vector<std::string>
        nodes; ///< ids of the groups of the kinds that they run on; none where all nodes are of one kind
    Seconds step{}; ///< if all replicas were like these: beyond it they wait for the slowest
    bool operator==(const ReplicaStep&) const = default;
};

/// `steps`: of each kind. None where there is one.
[[nodiscard]] std::vector<ReplicaStep> replicaSteps(const plan::Plan& plan,
    const std::vector<pricing::PricedReplicas>& replicas, const std::vector<pipeline::Makespan>& steps);

/// Each stage as it is in the replicas where it fills most of its accelerators. Without its range.
[[nodiscard]] Memory memoryOf(const std::vector<pricing::PricedReplicas>& replicas);

} // namespace stratoplan::estimate
