// SPDX-License-Identifier: Apache-2.0
#include "core/split/split_layout.h"

#include "core/cost/host_memory.h"
#include "core/pricing/stage_boundary.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace stratoplan::split {
namespace {

plan::Plan withTp(const plan::Plan& plan, int tp)
{
    plan::Plan alike = plan;
    alike.strategy.stageTp.assign(std::size_t(plan.strategy.pp), tp);
    alike.strategy = stageStrategy(alike.strategy, 0);
    alike.strategy.stageLayers.clear();
    return alike;
}

} // namespace

SplitLayout::SplitLayout(const plan::Plan& itsPlan, int tp, const cost::Machine& machine)
    : plan(withTp(itsPlan, tp))
    , work(workload::lowerMicroBatch(plan))
    , deployment(plan, machine)
{
    plan::Plan kind = plan;
    for (const parallel::Recompute recompute : parallel::kAllRecompute) {
        recomputeAll(kind.strategy, recompute);
        const cost::Deployment ofKind(kind, machine, deployment.groups);
        pricing::MicroBatchCost costOfKind = pricing::microBatchCost(ofKind, work);
        addShardTraffic(ofKind, work, costOfKind);
        costOfKind.mixed = std::move(cost.mixed);
        costOfKind.mixed.insert(costOfKind.mixed.end(), {costOfKind.dense, costOfKind.moe});
        cost = std::move(costOfKind);
    }
}

workload::StageLayout SplitLayout::place(
    int first, int count, const parallel::StageRecompute& recompute, bool embedding, bool head, bool tableHere) const
{
    workload::StageLayout layout;
    layout.recomputed.emplace();
    const auto add = [&](int layer, parallel::Recompute kind) {
        const bool moe = isMoeLayer(plan.model, layer);
        ++(moe ? layout.moeLayers : layout.denseLayers);
        ++(moe ? layout.recomputed->moe : layout.recomputed->dense)[std::size_t(kind)];
    };
    for (int i = 0; i < count; ++i)
        add(first + i, i < recompute.full ? parallel::Recompute::Full : recompute.others);
    layout.embedding = embedding;
    layout.head = head;
    layout.tableHere = tableHere;
    layout.predictionModules = head ? plan.model.multiTokenPredictionDepth : 0;
    for (int i = 0; i < layout.predictionModules; ++i)
        add(plan.model.layers + i, recompute.others);
    countParameters(plan, work, layout);
    return layout;
}

double SplitLayout::bytes(const workload::StageLayout& layout, double inFlight, int microBatches) const
{
    if (const cost::HostBytes host = cost::hostBytes(plan, work, layout);
        host.step + host.microBatch * inFlight > deployment.machine.hostCapacity)
        return std::numeric_limits<double>::infinity(); // no accelerator memory makes up for the host's
    cost::LifetimeBytes bytes = cost::passBytes(plan, work, layout);
    bytes += cost::parameterBytes(plan, work, layout);
    const cost::Peak most = peak(bytes, inFlight, pipeline::lossesInFlight(plan.strategy.schedule, microBatches));
    return (bytes.step + most.activations + most.above).value();
}

double SplitLayout::keptBytes(const workload::StageLayout& layout, double inFlight) const
{
    cost::LifetimeBytes bytes = cost::passBytes(plan, work, layout);
    bytes += cost::parameterBytes(plan, work, layout);
    return (bytes.step + bytes.microBatch * inFlight).value();
}

cost::StageSends sendsBetween(const plan::Plan& plan, const std::vector<const SplitLayout*>& stages)
{
    std::vector<cost::BoundaryEnd> ends;
    for (const SplitLayout* layout : stages)
        ends.push_back({layout->deployment, layout->work.boundary});
    return pricing::sendsOf(pricing::stageBoundaries(plan, ends), stages.size());
}

std::vector<parallel::StageRecompute> recomputeChoices(const plan::Plan& plan, bool chosen, int stage, int layers)
{
    if (!chosen) {
        parallel::StageRecompute asStated = stageRecompute(plan.strategy, stage);
        asStated.full = std::min(asStated.full, layers);
        return {asStated};
    }
    // Of flash attention there is no core to keep.
    const plan::Training& training = plan.training;
    const bool selects =
        !isFlash(training.attention) || training.software.selectiveRecompute != plan::SelectiveRecompute::AttentionCore;
    std::vector<parallel::StageRecompute> choices;
    for (const parallel::Recompute others : {parallel::Recompute::None, parallel::Recompute::Selective})
        for (int full = 0; full <= layers && (selects || others == parallel::Recompute::None); ++full)
            choices.push_back({others, full});
    return choices;
}

void tellRecompute(const plan::Plan& plan, const std::vector<SplitStage>& stages, parallel::Strategy& s)
{
    const auto whole = [](const SplitStage& stage) {
        return stage.others == parallel::Recompute::None && stage.recomputedLayers == stage.layers;
    };
    if (plan.model.multiTokenPredictionDepth == 0 && std::all_of(stages.begin(), stages.end(), whole)) {
        s.recompute = parallel::Recompute::Full;
        return;
    }
    const bool part =
        std::any_of(stages.begin(), stages.end(), [](const SplitStage& stage) { return stage.recomputedLayers > 0; });
    const auto kindOf = [&](const SplitStage& stage) {
        return stage.others == parallel::Recompute::None && part ? parallel::Recompute::Full : stage.others;
    };
    const auto likeTheFirst = [&](const SplitStage& stage) { return kindOf(stage) == kindOf(stages.front()); };
    const bool alike = std::all_of(stages.begin(), stages.end(), likeTheFirst);
    s.recompute = kindOf(stages.front());
    for (const SplitStage& stage : stages) {
        if (!alike)
            s.stageRecompute.push_back(kindOf(stage));
        if (part)
            s.recomputedLayers.push_back(stage.recomputedLayers);
    }
}

} // namespace stratoplan::split
