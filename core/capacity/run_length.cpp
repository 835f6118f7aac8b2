// SPDX-License-Identifier: Apache-2.0
#include "core/capacity/run_length.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::capacity {
namespace {

constexpr double kTokensOfParameter = 20; ///< Hoffmann et al., table 3

/// A step as a straight line over its micro-batches.
struct StepLine {
    double micro = 0; ///< seconds of each
    double rest = 0;
};

StepLine stepLine(const plan::Plan& plan, const estimate::Estimate& estimate)
{
    const int all = microBatches(plan);
    const int few = 2 * plan.strategy.pp;
    if (all > few && plan.strategy.replicaMicroBatches.empty()) {
        plan::Plan less = plan;
        less.training.globalBatch = few * plan.strategy.microBatch * plan.strategy.dp;
        if (const auto shorter = estimate::estimate(less, {.remedies = false, .waits = false, .range = false})) {
            const double micro = (estimate.step - shorter->step).value() / (all - few);
            return {micro, estimate.step.value() - micro * all};
        }
    }
    return {0, estimate.step.value()};
}

} // namespace

double budgetTokens(const plan::Plan& plan, const plan::CapacityInputs& inputs)
{
    const double ofStep = tokensPerStep(plan);
    if (inputs.tokens > 0)
        return inputs.tokens;
    if (inputs.steps > 0)
        return inputs.steps * ofStep;
    const double flops = modelFlops(plan).value();
    return inputs.computeFlops > 0 && flops > 0 ? inputs.computeFlops / flops * ofStep : 0;
}

double computeOf(const plan::Plan& plan, double tokens)
{
    const double ofStep = tokensPerStep(plan);
    return ofStep > 0 ? tokens / ofStep * modelFlops(plan).value() : 0;
}

ComputeOptimum computeOptimum(double flops)
{
    constexpr double kFlopsOfParameter = 6;
    const double parameters = std::sqrt(flops / (kFlopsOfParameter * kTokensOfParameter));
    return {computeOptimalTokens(parameters), parameters};
}

double computeOptimalTokens(double parameters)
{
    return kTokensOfParameter * parameters;
}

std::vector<BatchPhase> batchPhases(
    const plan::Plan& plan, const estimate::Estimate& estimate, const plan::CapacityInputs& inputs)
{
    std::vector<BatchPhase> phases;
    double left = budgetTokens(plan, inputs);
    const double sequence = plan.training.sequenceLength;
    const int batch = plan.training.globalBatch;
    const plan::BatchRamp& ramp = inputs.ramp;
    if (!(left > 0) || !(sequence > 0) || batch <= 0)
        return phases;
    if (ramp.start > 0 && ramp.start < batch && ramp.increment > 0 && ramp.tokens > 0) {
        const StepLine line = stepLine(plan, estimate);
        const int count = (batch - ramp.start + ramp.increment - 1) / ramp.increment;
        const double ofOne = std::min(left, ramp.tokens) / count;
        for (int i = 0; i < count; ++i) {
            const int smaller = ramp.start + i * ramp.increment;
            const double micros = double(smaller) / (double(plan.strategy.microBatch) * plan.strategy.dp);
            const double steps = std::ceil(ofOne / (smaller * sequence));
            phases.push_back({smaller, steps, Seconds(line.rest + line.micro * micros)});
            left -= steps * smaller * sequence;
        }
    }
    if (left > 0)
        phases.push_back({batch, std::ceil(left / (batch * sequence)), estimate.step});
    return phases;
}

} // namespace stratoplan::capacity
