// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/priced_stages.h"

#include "core/cost/host_memory.h"
#include "core/parallel/route.h"
#include "core/pricing/best_partition.h"
#include "core/pricing/stage_kinds.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stratoplan::pricing {
namespace {

/// The pipeline in which every stage has one TP, and runs on one machine.
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
    const Bytes offloaded = host.step + host.microBatch * result.memory.back().inFlight;
    const Bytes capacity = variant.deployment.machine.hostCapacity;
    if (stage == 0 || cost::fillsMore({offloaded, capacity}, {result.hostPeak, result.hostCapacity})) {
        result.hostPeak = offloaded;
        result.hostCapacity = capacity;
    }
}

} // namespace

plan::Plan stagePlan(const plan::Plan& plan, int stage)
{
    plan::Plan alike = plan;
    alike.strategy = stageStrategy(plan.strategy, stage);
    return alike;
}

tl::expected<plan::Plan, plan::Problem> settled(
    plan::Plan plan, cost::Fleet& fleet, const std::stop_token& stop, const parallel::ReplicaKind& replicas)
{
    const cost::Machine& machine = fleet.whole(plan.strategy).machine;
    if (dividesLayers(plan.strategy)) { // all layers alike, wherever their stages run
        auto divided = withPartition(std::move(plan), machine, stop);
        if (!divided)
            return divided;
        plan = std::move(*divided);
    }
    if (plan.strategy.schedule != parallel::Schedule::ZbAuto || plan.strategy.inFlightLimit > 0)
        return plan;
    std::map<int, workload::Workload> workloads; // by TP
    cost::HeldByCapacity held;
    for (int i = 0; i < plan.strategy.pp; ++i) {
        const plan::Plan ofStage = stagePlan(plan, i);
        auto known = workloads.find(ofStage.strategy.tp);
        if (known == workloads.end())
            known = workloads.try_emplace(ofStage.strategy.tp, lowered(ofStage, machine).workload).first;
        held[fleet.machineOf(plan.strategy, i, replicas).memory].push_back(
            cost::stageBytes(ofStage, known->second, i).byLifetime);
    }
    plan.strategy.inFlightLimit = openInFlightLimit(plan.strategy, microBatches(plan), held);
    return plan;
}

PricedStages priceStages(const plan::Plan& plan, cost::Fleet& fleet, const parallel::ReplicaKind& replicas)
{
    const int p = plan.strategy.pp;
    std::map<std::pair<int, int>, Variant> variants; // by TP and machine
    std::vector<const Variant*> ofStage;
    PricedStages result;
    for (int i = 0; i < p; ++i) {
        const int tp = stageStrategy(plan.strategy, i).tp;
        const cost::StageMachine& runsOn = fleet.machineOf(plan.strategy, i, replicas);
        const std::pair kind(tp, runsOn.number);
        auto known = variants.find(kind);
        if (known == variants.end())
            known = variants.try_emplace(kind, stagePlan(plan, i), runsOn.machine).first;
        ofStage.push_back(&known->second);
        result.capacity.push_back(runsOn.memory);
    }
    std::vector<cost::BoundaryEnd> ends;
    for (const Variant* variant : ofStage)
        ends.push_back({variant->deployment, variant->workload.boundary});
    result.boundaries = stageBoundaries(plan, ends);
    const cost::StageSends sends = sendsOf(result.boundaries, std::size_t(p));
    for (auto& [kind, variant] : variants) {
        variant.deployment.sends = variants.size() > 1 ? &sends : nullptr;
        variant.price(result.chunks);
    }
    for (int i = 0; i < p; ++i)
        addStage(result, *ofStage[std::size_t(i)], i, p);
    const cost::StageMachine& whole = fleet.whole(plan.strategy);
    auto base = fleet.isUnlike() ? variants.end() : variants.find({plan.strategy.tp, whole.number});
    if (base == variants.end()) { // no stage has the strategy's own TP, or runs wherever any does
        plan::Plan alike = plan;
        alike.strategy.stageTp.clear();
        base = variants.try_emplace({plan.strategy.tp, -1}, std::move(alike), whole.machine).first;
    }
    result.pipeline = base->second.deployment.groups[parallel::RankGroup::Pipeline];
    result.workload = std::move(base->second.workload);
    result.micro = std::move(base->second.micro);
    return result;
}

std::size_t fullestStage(const PricedStages& priced)
{
    const auto filled = [&](std::size_t i) { return cost::Filled{priced.memory[i].total(), priced.capacity[i]}; };
    std::size_t fullest = 0;
    for (std::size_t i = 1; i < priced.memory.size(); ++i)
        if (fillsMore(filled(i), filled(fullest)))
            fullest = i;
    return fullest;
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
