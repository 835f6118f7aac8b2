// SPDX-License-Identifier: Apache-2.0
// Plain enumeration of strategies around a plan, and the Pareto front of throughput against peak memory.
#pragma once

#include "core/estimate/estimate.h"
#include "core/plan/plan.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

namespace stratoplan {

struct Candidate {
    Strategy strategy;
    double tokensPerSecond = 0;
    Bytes peakMemory{};
    Seconds step{};
    bool fits = false;
    bool onFront = false; ///< not dominated among the candidates that fit
    bool operator==(const Candidate&) const = default;
};

struct Enumeration {
    std::vector<Candidate> candidates; ///< every strategy that could be priced
    std::vector<std::size_t> front; ///< indices, by rising memory
    std::int64_t space = 0; ///< strategies considered
    std::int64_t evaluated = 0; ///< of which priced
    bool complete = false; ///< false: stopped
};

using EnumerationProgress = std::function<void(const Enumeration&)>;

/// DP x TP x PP x EP x micro-batch x recomputation over all accelerators of the plan's cluster; the rest of the strategy
/// as in the plan. Calls `progress` about every 50 ms with what it has, front included; returns that when stopped,
/// well within 50 ms. The same plan gives the same result in the same order.
[[nodiscard]] Enumeration enumerate(const Plan& plan, const std::stop_token& stop = {}, const EnumerationProgress& progress = {});

/// Strategies that `enumerate` considers, in its order: every TP and PP that divide the accelerators, DP the rest, every EP that
/// divides the experts, micro-batches 1, 2, 4, … that divide the batch of a replica, each recomputation. Only those that check()
/// finds no error in. Where the plan's schedule and virtual stages are not legal for the degrees, 1F1B; sequence parallelism only
/// with TP > 1; the plan's layers per stage only with its PP, its expert TP only where that divides TP.
[[nodiscard]] std::vector<Strategy> strategySpace(const Plan& plan);

} // namespace stratoplan
