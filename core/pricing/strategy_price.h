// SPDX-License-Identifier: Apache-2.0
// The leaf of a search: what a strategy takes and holds, as estimate() says it.
#pragma once

#include "core/parallel/strategy.h"
#include "core/pricing/priced_pipeline.h"
#include "core/units/quantity.h"

#include <optional>

namespace stratoplan::pricing {

class PricingContext;

struct StrategyPeak {
    Bytes bytes{}; ///< of the fullest stage
    int stage = 0;
    Bytes host{}; ///< offloaded of the stage that offloads most, per accelerator
    bool operator==(const StrategyPeak&) const = default;
};

struct StrategyPrice {
    Seconds step{};
    Bytes peak{}; ///< of the fullest stage
    Bytes capacity{}; ///< of its accelerators
    int peakStage = 0;
    bool fits = false;
    /// The same where a share of each accelerator's memory stays free.
    [[nodiscard]] bool fitsWith(double headroom) const { return fits && peak <= capacity * (1 - headroom); }
    bool operator==(const StrategyPrice&) const = default;
};

/// Simulated: the same step time as estimate() gives to the last bit, and the same peak but for the order in which
/// bytes are summed. Nothing where the step time is no finite number. Precondition: check() and notEstimable() find no
/// error in the plan with this strategy.
[[nodiscard]] std::optional<StrategyPrice> price(
    PricingContext& context, const parallel::Strategy& strategy, PipelineTime time);

} // namespace stratoplan::pricing
