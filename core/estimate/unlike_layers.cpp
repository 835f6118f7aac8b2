// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/unlike_layers.h"

#include "core/partition/layer_doubling.h"

#include <algorithm>

namespace stratoplan::estimate {
namespace {

constexpr std::size_t kMostSteps = 3'000'000; ///< some seconds, and 120 MB
constexpr double kPriced = 0.2, kRepeated = 0.5; ///< shares of the work, roughly

/// That a division fills most.
const partition::MemoryForm& fullest(const std::vector<partition::MemoryForm>& forms, const partition::Division& layer)
{
    return *std::ranges::max_element(
        forms, {}, [&](const partition::MemoryForm& form) { return partition::peak({form}, layer); });
}

} // namespace

std::optional<UnlikeLayers> unlikeLayers(const plan::Plan& plan, const cost::Machine& machine,
    pricing::PlanProgramme& layer, const std::stop_token& stop, const std::function<void(double share)>& progress)
{
    const auto report = [&](double share) {
        if (progress && !stop.stop_requested())
            progress(share);
    };
    const std::vector<std::vector<partition::State>>& states = layer.programme().states();
    const pricing::LayerDivision& division = layer.division();
    partition::LayerSteps steps(division.block(), division.pricing().layouts);
    if (stepCount(states, steps) > kMostSteps)
        return std::nullopt;
    const pricing::Terms terms = pricing::terms(plan, machine, layer.fastest().seconds);
    const auto cost = [&](const partition::Division& d) {
        return Seconds(d.seconds + terms.ofParameter * d.parameters);
    };
    UnlikeLayers answer{plan.model.layers, cost(layer.cheapest(terms.ofParameter))};
    layer.programme().spread(plan::microBatches(plan));
    const partition::LayerDoubling layers(division.block(), states, steps, stop);
    report(kPriced);
    if (stop.stop_requested())
        return std::nullopt;
    const partition::MinPlusMatrix costs = layers.layer({1, terms.ofParameter}), all = costs.power(answer.layers, stop);
    report(kRepeated);
    if (stop.stop_requested())
        return std::nullopt;
    answer.leastMean = Seconds(costs.leastMean());
    answer.closedMean = Seconds(all.leastClosed() / answer.layers);
    answer.openMean = Seconds(all.least() / answer.layers);
    // A stage that holds the smaller of two things is bounded by no single form.
    if (const partition::Division* const fitting = terms.otherwise.empty() ? layer.fitting(terms) : nullptr) {
        const partition::MemoryForm& form = fullest(terms.memory, *fitting);
        answer.alikeWithin = cost(*fitting);
        const auto tried = [&](double share) { report(kRepeated + share * (1 - kRepeated)); };
        answer.boundWithin = Seconds(leastMeanWithin(layers, terms.ofParameter, form, terms.capacity, tried));
    }
    if (stop.stop_requested())
        return std::nullopt;
    return answer;
}

} // namespace stratoplan::estimate
