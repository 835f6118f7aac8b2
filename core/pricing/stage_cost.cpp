// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/stage_cost.h"

#include "core/parallel/route.h"

#include <cmath>

namespace stratoplan::pricing {
namespace {

CommunicationSeconds& operator+=(CommunicationSeconds& a, const CommunicationSeconds& b)
{
    a.tp += b.tp;
    a.cp += b.cp;
    a.ep += b.ep;
    a.pp += b.pp;
    a.dp += b.dp;
    return a;
}

CommunicationSeconds operator*(CommunicationSeconds a, double f)
{
    return {a.tp * f, a.cp * f, a.ep * f, a.pp * f, a.dp * f};
}

void add(PassCost& sum, const PassCost& part, double count)
{
    sum.compute += part.compute * count;
    sum.weightGradient += part.weightGradient * count;
    sum.host += part.host * count;
    sum.exposed += part.exposed * count;
    sum.pairable += part.pairable * count;
    sum.hidden += part.hidden * count;
}

/// What one micro-batch sends from a stage: transfers with each neighbour, forward and backward.
struct Transfers {
    double forwardDown = 0, forwardUp = 0, backwardDown = 0, backwardUp = 0;
};

/// Of a loop the last stage's chunks but the final one wrap round to the first stage.
Transfers chunkTransfers(const parallel::Strategy& s, int index, int chunk)
{
    const parallel::Route route(shape(s.schedule), s.pp, effectiveChunks(s.schedule, s.vpp));
    const auto next = route.next(index, chunk);
    const auto previous = route.previous(index, chunk);
    Transfers t;
    if (next && *next != index)
        (route.runsDown(chunk) ? t.forwardDown : t.forwardUp) = 1;
    if (previous && *previous != index)
        (route.runsDown(chunk) ? t.backwardUp : t.backwardDown) = 1;
    return t;
}

/// Boundary transfers: the share that blocks the sending stage is exposed, the rest delays only the receiver.
void addTransfers(const Sends& sends, const Transfers& transfers, StagePasses& stage)
{
    const double blocking = sends.blocking;
    const Seconds forward = sends.down * transfers.forwardDown + sends.up * transfers.forwardUp;
    const Seconds backward = sends.down * transfers.backwardDown + sends.up * transfers.backwardUp;
    stage.forward.exposed.pp += forward * blocking;
    stage.backward.exposed.pp += backward * blocking;
    stage.forward.hidden.pp +=
        forward * (1 - blocking) + sends.reshardDown * transfers.forwardDown + sends.reshardUp * transfers.forwardUp;
    stage.backward.hidden.pp +=
        backward * (1 - blocking) + sends.reshardDown * transfers.backwardDown + sends.reshardUp * transfers.backwardUp;
    const auto sent = [](Seconds down, Seconds up, double downwards, double upwards) {
        return downwards > 0 ? down : upwards > 0 ? up : Seconds{};
    };
    stage.sendForward = sent(sends.down, sends.up, transfers.forwardDown, transfers.forwardUp) * (1 - blocking);
    stage.sendBackward = sent(sends.down, sends.up, transfers.backwardDown, transfers.backwardUp) * (1 - blocking);
    stage.reshardForward = sent(sends.reshardDown, sends.reshardUp, transfers.forwardDown, transfers.forwardUp);
    stage.reshardBackward = sent(sends.reshardDown, sends.reshardUp, transfers.backwardDown, transfers.backwardUp);
}

/// FSDP units of the two ends. The tables are needed first and their gradients come last, so nothing hides their
/// traffic; the output projection's travels behind the last layer, and it stays gathered for its backward pass.
void addEndShards(const cost::Deployment& deployment, const workload::StageLayout& layout, const LayerCost& lastLayer,
    StagePasses& stage)
{
    if (effectiveZeroStage(deployment.plan) < 3)
        return;
    const auto add = [&](double parameters, cost::Windows windows) {
        const cost::ShardTraffic traffic = shardTraffic(deployment, parameters, false, windows, true);
        stage.forward.add(traffic.forward);
        stage.backward.add(traffic.backward);
    };
    if (layout.embeddingParameters > 0)
        add(layout.embeddingParameters, {});
    constexpr cost::Windows kAnything{Seconds(INFINITY), Seconds(INFINITY)};
    if (layout.headParameters > 0)
        add(layout.headParameters,
            lastLayer.isBound ? kAnything : cost::Windows{lastLayer.forward.window(), lastLayer.backward.window()});
}

/// Without what it sends, and what stages that share the vocabulary tell each other.
StagePasses passesOf(
    const cost::Deployment& deployment, const MicroBatchCost& micro, const workload::StageLayout& layout)
{
    StagePasses stage;
    for (const bool moe : {false, true}) {
        for (const parallel::Recompute recompute : parallel::kAllRecompute) {
            const int count = layersWith(deployment.plan.strategy, layout, moe, recompute);
            if (count == 0)
                continue;
            const LayerCost& cost = micro.layer(moe, recompute);
            add(stage.forward, cost.forward, count);
            add(stage.backward, cost.backward, count);
            add(stage.recompute, cost.recompute, count);
        }
    }
    // Every prediction module looks tokens up, merges, and predicts with the shared head.
    if (const int times = lookUps(deployment.plan, layout); times > 0) {
        add(stage.forward, micro.embeddingForward, times);
        add(stage.backward, micro.embeddingBackward, times);
    }
    if (const int times = predictions(deployment.plan, layout); times > 0) {
        add(stage.forward, micro.headForward, times);
        add(stage.backward, micro.headBackward, times);
    }
    if (const int modules = layout.predictionModules; modules > 0) {
        add(stage.forward, micro.mergeForward, modules);
        add(stage.backward, micro.mergeBackward, modules);
    }
    // What recomputation a layer has makes no difference to the passes that hide the tables' traffic.
    addEndShards(deployment, layout, layout.moeLayers > 0 ? micro.moe : micro.dense, stage);
    return stage;
}

} // namespace

Sends sendsOf(const cost::Deployment& deployment, Bytes boundary, int index)
{
    if (deployment.plan.strategy.pp == 1)
        return {};
    return {sendSeconds(deployment, boundary, index, true), sendSeconds(deployment, boundary, index, false),
        reshardSeconds(deployment, index, true), reshardSeconds(deployment, index, false),
        blockingShare(deployment.plan)};
}

double blockingShare(const plan::Plan& plan)
{
    // On a stream or in a queue the simulation finds out what a transfer holds up.
    const plan::SoftwareProfile& software = plan.training.software;
    return plan.strategy.timingPass || software.transfers != parallel::TransferPath::Links ? 0 : software.p2pExposed;
}

StagePasses stagePasses(const cost::Deployment& deployment, const MicroBatchCost& micro,
    const workload::StageLayout& layout, Bytes boundary, int index)
{
    StagePasses stage = passesOf(deployment, micro, layout);
    addLossTraffic(deployment, micro, layout, Seconds{}, stage);
    addTransfers(sendsOf(deployment, boundary, index), chunkTransfers(deployment.plan.strategy, index, 0), stage);
    return stage;
}

StagePasses plainPasses(const cost::Deployment& deployment, const MicroBatchCost& micro,
    const workload::MicroBatchWork& work, const workload::StageLayout& layout)
{
    if (effectiveZeroStage(deployment.plan) < 3)
        return passesOf(deployment, micro, layout);
    workload::StageLayout counted = layout; // of sharded tables alone parameters play a part
    countParameters(deployment.plan, work, counted);
    return passesOf(deployment, micro, counted);
}

void addTraffic(const cost::Deployment& deployment, const MicroBatchCost& micro, const workload::StageLayout& layout,
    const Sends& sends, int index, int chunk, Seconds elsewhere, StagePasses& passes)
{
    addLossTraffic(deployment, micro, layout, elsewhere, passes);
    addTransfers(sends, chunkTransfers(deployment.plan.strategy, index, chunk), passes);
}

void addChunks(parallel::Schedule schedule, const StagePasses& chunk, int times, StagePasses& stage)
{
    const double share = shape(schedule) == parallel::PipelineShape::TwoWay ? 0.5 * times : times;
    add(stage.forward, chunk.forward, share);
    add(stage.backward, chunk.backward, share);
    add(stage.recompute, chunk.recompute, share);
}

void setTransfers(parallel::Schedule schedule, const StagePasses& first, const StagePasses& last, StagePasses& stage)
{
    const StagePasses& up = shape(schedule) == parallel::PipelineShape::Loop ? last : first;
    stage.sendForward = first.sendForward;
    stage.reshardForward = first.reshardForward;
    stage.sendBackward = up.sendBackward;
    stage.reshardBackward = up.reshardBackward;
}

std::vector<StagePasses> chunkCosts(const cost::Deployment& deployment, const MicroBatchCost& micro,
    const workload::MicroBatchWork& work, const std::vector<workload::StageLayout>& layouts, int index)
{
    std::vector<StagePasses> chunks;
    Seconds all{};
    for (const workload::StageLayout& layout : layouts) {
        chunks.push_back(plainPasses(deployment, micro, work, layout));
        all += window(chunks.back());
    }
    const Sends sends = sendsOf(deployment, work.boundary, index);
    for (std::size_t c = 0; c < chunks.size(); ++c)
        addTraffic(deployment, micro, layouts[c], sends, index, int(c), all - window(chunks[c]), chunks[c]);
    return chunks;
}

StagePasses joinChunks(parallel::Schedule schedule, const std::vector<StagePasses>& chunks)
{
    StagePasses stage;
    for (const StagePasses& chunk : chunks)
        addChunks(schedule, chunk, 1, stage);
    setTransfers(schedule, chunks.front(), chunks.back(), stage);
    return stage;
}

} // namespace stratoplan::pricing
