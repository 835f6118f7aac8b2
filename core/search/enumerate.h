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
    std::vector<std::size_t> front;    ///< indices, by rising memory
    std::int64_t space = 0;            ///< strategies considered
    std::int64_t evaluated = 0;        ///< of which priced
    bool complete = false;             ///< false: stopped
};

using EnumerationProgress = std::function<void(const Enumeration&)>;

/// DP x TP x PP x micro-batch x recomputation over all accelerators of the plan's cluster; the rest of the strategy
/// as in the plan. Calls `progress` now and then with what it has; returns that when stopped.
[[nodiscard]] Enumeration enumerate(const Plan& plan, std::stop_token stop = {}, const EnumerationProgress& progress = {});

/// Strategies that `enumerate` considers, in its order.
[[nodiscard]] std::vector<Strategy> strategySpace(const Plan& plan);

} // namespace stratoplan
