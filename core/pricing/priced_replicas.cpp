// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/priced_replicas.h"

#include "core/cost/memory.h"
#include "core/pricing/priced_pipeline.h"
#include "core/pricing/stage_cost.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace stratoplan::pricing {
namespace {

cost::Filled fullestOf(const PricedReplicas& replicas)
{
    const std::size_t stage = fullestStage(replicas.stages);
    return {replicas.stages.memory[stage].total(), replicas.stages.capacity[stage]};
}

} // namespace

tl::expected<std::vector<PricedReplicas>, plan::Problem> priceReplicas(
    const plan::Plan& plan, cost::Fleet& fleet, const std::stop_token& stop)
{
    std::vector<PricedReplicas> all;
    for (parallel::ReplicaKind& kind : fleet.replicaKinds(plan.strategy, plan.training.software)) {
        plan::Plan ofKind = plan;
        ofKind.strategy = ofReplicas(plan.strategy, kind);
        auto found = settled(std::move(ofKind), fleet, stop, kind);
        if (!found)
            return tl::unexpected(found.error());
        PricedStages stages = priceStages(*found, fleet, kind);
        pipeline::PipelineWork work = pipelineWork(*found, stages, stretch(*found, fleet.whole(plan.strategy).machine));
        all.push_back({std::move(kind), std::move(*found), std::move(stages), std::move(work)});
    }
    return all;
}

const PricedReplicas& fullest(const std::vector<PricedReplicas>& replicas)
{
    return *std::ranges::max_element(replicas,
        [](const PricedReplicas& a, const PricedReplicas& b) { return fillsMore(fullestOf(b), fullestOf(a)); });
}

std::optional<StrategyPrice> priceUnlike(
    plan::Plan plan, const parallel::Strategy& strategy, cost::Fleet& fleet, PipelineTime time)
{
    plan.strategy = strategy;
    const auto replicas = priceReplicas(plan, fleet);
    if (!replicas)
        return std::nullopt;
    StrategyPrice price;
    price.fits = true;
    for (const PricedReplicas& kind : *replicas) {
        const Seconds step = stepSeconds(kind.work, time);
        if (!std::isfinite(step.value()) || step.value() <= 0)
            return std::nullopt;
        price.step = std::max(price.step, step);
        const cost::Filled filled = fullestOf(kind);
        price.fits = price.fits && filled.held <= filled.capacity && kind.stages.hostPeak <= kind.stages.hostCapacity;
    }
    const PricedStages& stages = fullest(*replicas).stages;
    price.peakStage = int(fullestStage(stages));
    price.peak = stages.memory[std::size_t(price.peakStage)].total();
    price.capacity = stages.capacity[std::size_t(price.peakStage)];
    return price;
}

} // namespace stratoplan::pricing
