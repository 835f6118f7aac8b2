// SPDX-License-Identifier: Apache-2.0
// The leaf of a search: prices many strategies of one plan. A micro-batch of a layer is priced once for all strategies that
// agree in the few degrees it depends on, and the stages of a pipeline once for all that agree in their split; what is left for
// each strategy is the end of its step, its states, and its pipeline.
#pragma once

#include "core/estimate/estimate.h"

#include <memory>
#include <optional>

namespace stratoplan {

/// How the passes of a step are placed in time.
enum class PipelineTime {
    ClosedForm, ///< pipelineSeconds(): never above the simulation
    Simulated,  ///< makespan(): what estimate() says
};

struct StrategyPrice {
    Seconds step{};
    Bytes peak{}; ///< of the fullest stage
    int peakStage = 0;
    bool fits = false;
    bool operator==(const StrategyPrice&) const = default;
};

/// Gives what estimate() gives: Simulated the same step time to the last bit, and the same peak but for the order in which bytes
/// are summed. Remembers what it priced; one object serves one thread.
class StrategyPricer {
public:
    /// The strategy of `plan` plays no part.
    explicit StrategyPricer(const Plan& plan);
    ~StrategyPricer();
    StrategyPricer(const StrategyPricer&) = delete;
    StrategyPricer& operator=(const StrategyPricer&) = delete;

    /// Nothing where the step time is no finite number. Precondition: check() and notEstimable() find no error in the plan with
    /// this strategy.
    [[nodiscard]] std::optional<StrategyPrice> price(const Strategy& strategy, PipelineTime time);

private:
    class Pricing;
    std::unique_ptr<Pricing> m_pricing;
};

} // namespace stratoplan
