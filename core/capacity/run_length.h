// SPDX-License-Identifier: Apache-2.0
// How long a run is, before anything goes wrong: tokens, steps, and the seconds that they take.
#pragma once

#include "core/estimate/estimate.h"

#include <vector>

namespace stratoplan::capacity {

/// Tokens of the run, however they are given: a budget of steps or FLOPs is that of the plan's batch. 0 if none is.
[[nodiscard]] double budgetTokens(const plan::Plan& plan, const plan::CapacityInputs& inputs);
/// Model FLOPs of so many tokens, as MFU counts them.
[[nodiscard]] double computeOf(const plan::Plan& plan, double tokens);
/// Of so much compute the tokens and the parameters that Hoffmann et al. (arXiv 2203.15556) find best by their first
/// approach: some 20 tokens a parameter, and 6 FLOPs of each parameter a token.
struct ComputeOptimum {
    double tokens = 0, parameters = 0;
};
[[nodiscard]] ComputeOptimum computeOptimum(double flops);
/// The same turned round: of a model with so many parameters that each token touches.
[[nodiscard]] double computeOptimalTokens(double parameters);

/// Steps of one batch.
struct BatchPhase {
    int batch = 0; ///< sequences
    double steps = 0; ///< whole ones
    Seconds step{};
};
/// Those of a ramp first, then those of the plan's batch. A step of a smaller batch takes less by the time of its
/// micro-batches: from the step of two micro-batches a stage to that of the plan, straight on (exact for 1F1B and what
/// fills as it does); all of it, where the plan has no more, or cannot run so few.
[[nodiscard]] std::vector<BatchPhase> batchPhases(
    const plan::Plan& plan, const estimate::Estimate& estimate, const plan::CapacityInputs& inputs);

} // namespace stratoplan::capacity
