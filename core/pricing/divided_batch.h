// SPDX-License-Identifier: Apache-2.0
// A batch divided over replicas of unlike speed so that the slowest is through as soon as can be.
#pragma once

#include <cstdint>
#include <vector>

namespace stratoplan::pricing {

/// Replicas that are as fast: one runs m micro-batches in fill + pace m seconds.
struct ReplicaPace {
    int replicas = 1;
    double fill = 0;
    double pace = 0; ///< > 0
};

/// A replica runs `least` micro-batches or more, a multiple of `multiple`.
struct BatchStep {
    int least = 1, multiple = 1;
};

/// Of one kind.
struct ReplicaShare {
    int microBatches = 0; ///< of each
    int withMore = 0; ///< replicas that run one step more
    bool operator==(const ReplicaShare&) const = default;
};

/// The shares, one for each kind, that hold so many micro-batches in all and whose longest time is least; none where
/// they cannot be divided so. Exact: micro-batches go to the kind that is through first, as a later step of none is
/// sooner than an earlier one.
[[nodiscard]] std::vector<ReplicaShare> dividedBatch(
    const std::vector<ReplicaPace>& kinds, std::int64_t microBatches, BatchStep step);

} // namespace stratoplan::pricing
