// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/priced_stages.h"

#include "core/cost/host_memory.h"
#include "core/parallel/route.h"
#include "core/pricing/best_partition.h"
#include "core/pricing/stage_kinds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace stratoplan::pricing {
namespace {

/// The pipeline in which every stage has one TP.
struct Variant {
    Variant(plan::Plan itsPlan, const cost::Machine& machine)
        : plan(std::move(itsPlan))
        , lowered(pricing::lowered(plan, machine))
        , workload(lowered.workload)
        , deployment(plan, machine)
        , micro(microBatchCost(deployment, workload, lowered.divided))
    {
    }
    Variant(const Variant&) = delete; // the deployment refers to the plan
    Variant& operator=(const Variant&) = delete;
    [[nodiscard]] cost::BoundaryEnd end() const { return {deployment, workload.boundary}; }
    /// Its chunks go to the end of `chunks`.
    void price(std::vector<pipeline::ChunkWork>& chunks)
    {
        split = stageKinds(workload.chunks, deployment);
        const PricedKinds priced = priceKinds(plan, deployment, workload, micro, split);
        for (const PricedKinds::Kind& kind : priced.kinds)
            costs.push_back({kind.passes, endOfStep(deployment, kind.layout, kind.passes, workload.microBatches)});
        firstChunk = chunks.size();
        chunks.insert(chunks.end(), priced.chunks.begin(), priced.chunks.end());
    }

    plan::Plan plan;
    LoweredPlan lowered;
    workload::Workload& workload;
    cost::Deployment deployment;
    MicroBatchCost micro;
    StageKinds split;
    std::vector<StageCost> costs; ///< by kind
    std::size_t firstChunk = 0;
};

/// `variant`: what all of so many stages would be, of which one is added.
void addStage(PricedStages& result, const Variant& variant, int stage, int stages)
{
    result.costs.push_back(variant.costs[variant.split.kindOf[std::size_t(stage)]]);
    const std::size_t chunks = variant.split.chunkOf.size() / std::size_t(stages);
    for (std::size_t c = 0; c < chunks; ++c)
        result.chunkOf.push_back(
            static_cast<std::uint16_t>(variant.firstChunk + variant.split.chunkOf[std::size_t(stage) * chunks + c]));
    result.memory.push_back(cost::stageBytes(variant.plan, variant.workload, stage));
    const cost::HostBytes host =
        cost::hostBytes(variant.plan, variant.workload, variant.workload.stages[std::size_t(stage)]);
    result.hostPeak = std::max(result.hostPeak, host.step + host.microBatch * result.memory.back().inFlight);
}

/// Of each stage; the last one hands on to the first where stages have several chunks.
std::vector<StageBoundary> boundariesOf(const plan::Plan& plan, const std::vector<const Variant*>& stages)
{
    const int p = int(stages.size());
    const bool wraps = shape(plan.strategy.schedule) == parallel::PipelineShape::Loop && plan.strategy.vpp > 1;
    const parallel::ReshardMethod method = plan.training.software.resharding;
    std::vector<StageBoundary> boundaries;
    for (int i = 0; p > 1 && i < (wraps ? p : p - 1); ++i) {
        const int next = (i + 1) % p;
        const cost::BoundaryEnd upper = stages[std::size_t(i)]->end();
        const cost::BoundaryEnd lower = stages[std::size_t(next)]->end();
        boundaries.push_back(
            {i, next, boundaryTransfer(upper, lower, i, method), boundaryTransfer(lower, upper, i, method)});
    }
    return boundaries;
}

cost::StageSends sendsOf(const std::vector<StageBoundary>& boundaries, std::size_t stages)
{
    cost::StageSends sends(stages);
    for (const StageBoundary& boundary : boundaries) {
        sends.down[std::size_t(boundary.from)] = boundary.down.transfer;
        sends.reshardDown[std::size_t(boundary.from)] = boundary.down.gather;
        sends.up[std::size_t(boundary.to)] = boundary.up.transfer;
        sends.reshardUp[std::size_t(boundary.to)] = boundary.up.gather;
    }
    return sends;
}

} // namespace

plan::Plan stagePlan(const plan::Plan& plan, int stage)
{
    plan::Plan alike = plan;
    alike.strategy = stageStrategy(plan.strategy, stage);
    return alike;
}

tl::expected<plan::Plan, plan::Problem> settled(
    plan::Plan plan, const cost::Machine& machine, const std::stop_token& stop)
{
    if (dividesLayers(plan.strategy)) {
        auto divided = withPartition(std::move(plan), machine, stop);
        if (!divided)
            return divided;
        plan = std::move(*divided);
    }
    if (plan.strategy.schedule != parallel::Schedule::ZbAuto || plan.strategy.inFlightLimit > 0)
        return plan;
    std::map<int, workload::Workload> workloads; // by TP
    std::vector<cost::LifetimeBytes> held;
    for (int i = 0; i < plan.strategy.pp; ++i) {
        const plan::Plan ofStage = stagePlan(plan, i);
        auto known = workloads.find(ofStage.strategy.tp);
        if (known == workloads.end())
            known = workloads.try_emplace(ofStage.strategy.tp, lowered(ofStage, machine).workload).first;
        held.push_back(cost::stageBytes(ofStage, known->second, i).byLifetime);
    }
    plan.strategy.inFlightLimit =
        openInFlightLimit(plan.strategy, microBatches(plan), held, smallestMemory(plan.cluster));
    return plan;
}

PricedStages priceStages(const plan::Plan& plan, const cost::Machine& machine)
{
    const int p = plan.strategy.pp;
    std::map<int, Variant> variants; // by TP
    std::vector<const Variant*> ofStage;
    for (int i = 0; i < p; ++i) {
        const int tp = stageStrategy(plan.strategy, i).tp;
        auto known = variants.find(tp);
        if (known == variants.end())
            known = variants.try_emplace(tp, stagePlan(plan, i), machine).first;
        ofStage.push_back(&known->second);
    }
    PricedStages result;
    result.boundaries = boundariesOf(plan, ofStage);
    const cost::StageSends sends = sendsOf(result.boundaries, std::size_t(p));
    for (auto& [tp, variant] : variants) {
        variant.deployment.sends = variants.size() > 1 ? &sends : nullptr;
        variant.price(result.chunks);
    }
    for (int i = 0; i < p; ++i)
        addStage(result, *ofStage[std::size_t(i)], i, p);
    auto base = variants.find(plan.strategy.tp);
    if (base == variants.end()) { // no stage has the strategy's own TP
        plan::Plan alike = plan;
        alike.strategy.stageTp.clear();
        base = variants.try_emplace(plan.strategy.tp, std::move(alike), machine).first;
    }
    result.pipeline = base->second.deployment.groups[parallel::RankGroup::Pipeline];
    result.workload = std::move(base->second.workload);
    result.micro = std::move(base->second.micro);
    return result;
}

std::optional<StrategyPrice> priceUnlike(
    plan::Plan plan, const parallel::Strategy& strategy, const cost::Machine& machine, PipelineTime time)
{
    plan.strategy = strategy;
    auto found = settled(std::move(plan), machine);
    if (!found)
        return std::nullopt;
    plan = std::move(*found);
    const PricedStages priced = priceStages(plan, machine);
    const pipeline::PipelineWork work = pipelineWork(plan, priced, stretch(plan, machine));
    const Seconds step = stepSeconds(work, time);
    if (!std::isfinite(step.value()) || step.value() <= 0)
        return std::nullopt;
    StrategyPrice price{step, {}, 0, false};
    for (std::size_t i = 0; i < priced.memory.size(); ++i) {
        if (const Bytes held = priced.memory[i].total(); held > price.peak) {
            price.peak = held;
            price.peakStage = int(i);
        }
    }
    price.fits = price.peak <= smallestMemory(plan.cluster) && priced.hostPeak <= machine.hostCapacity;
    return price;
}

pipeline::PipelineWork pipelineWork(const plan::Plan& plan, const PricedStages& priced, double stretch)
{
    pipeline::PipelineWork work;
    work.schedule = plan.strategy.schedule;
    work.microBatches = priced.workload.microBatches;
    work.chunks = plan.strategy.vpp;
    work.limit = plan.strategy.inFlightLimit;
    placeVocabulary(plan.strategy, priced.micro, stretch, work);
    work.timing = communicationTiming(plan, priced.pipeline);
    work.stages.reserve(priced.costs.size());
    for (const StageCost& cost : priced.costs) {
        work.stages.push_back(stageWork(cost.passes, cost.end, stretch));
    }
    work.chunkWork.reserve(priced.chunks.size());
    for (const pipeline::ChunkWork& chunk : priced.chunks)
        work.chunkWork.push_back(chunk * stretch);
    work.chunkOf = priced.chunkOf;
    return work;
}

} // namespace stratoplan::pricing
