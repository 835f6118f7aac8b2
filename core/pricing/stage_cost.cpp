// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/stage_cost.h"

#include "core/cost/host_memory.h"
#include "core/parallel/route.h"
#include "core/pipeline/program.h"

#include <algorithm>
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

void addTraffic(PassCost& pass, const cost::Overlap& traffic)
{
    pass.exposed.dp += traffic.exposed;
    pass.hidden.dp += traffic.hidden;
}

class Pricer {
public:
    explicit Pricer(const cost::Deployment& deployment)
        : m_deployment(deployment)
        , m_strategy(deployment.plan.strategy)
        , m_machine(deployment.machine)
        , m_software(deployment.plan.training.software)
    {
        const double tpDoublings = m_strategy.tp > 1 ? std::log2(m_strategy.tp) : 0;
        const Seconds perTp = m_software.hostPerTpDoubling * tpDoublings;
        m_hostForward = m_software.hostForward + perTp;
        m_hostBackward = m_software.hostBackward + perTp;
    }

    /// Prices the collectives of a pass beside its computation; `floor` is the host's time to launch it.
    [[nodiscard]] PassCost pass(const workload::Pass& work, const cost::ComputeSeconds& compute, Seconds floor) const
    {
        PassCost cost;
        cost.compute = compute.total;
        cost.weightGradient = compute.weightGradient;
        Seconds shared = compute.sharedExperts * m_software.expertOverlap;
        for (const workload::Collective& c : work.collectives)
            addCollective(cost, c, compute.attentionCore, shared);
        const Seconds device = cost.compute + cost.exposed.total();
        cost.host = std::max(Seconds{}, floor - device);
        cost.pairable = std::min(cost.exposed.ep, std::max(Seconds{}, device - floor));
        return cost;
    }

    [[nodiscard]] LayerCost layer(const workload::LayerWork& work, const cost::ComputeSeconds& forward,
        const cost::ComputeSeconds& backward) const
    {
        return recomputed(bareLayer(work, forward, backward), m_strategy.recompute, work, forward);
    }

    /// Without recomputation, and what depends on it.
    [[nodiscard]] LayerCost bareLayer(const workload::LayerWork& work, const cost::ComputeSeconds& forward,
        const cost::ComputeSeconds& backward) const
    {
        LayerCost cost;
        const Seconds experts = hostOfExperts(work);
        cost.forward = pass(work.forward, forward, m_hostForward + experts);
        cost.backward = pass(work.backward, backward, m_hostBackward + experts);
        // Gradients are read, added to and written once per micro-batch where the product does not accumulate in place.
        const double parameters = work.parameters + work.expertParameters;
        const Seconds accumulation = Bytes(parameters * m_software.gradientAccumulationBytes) / m_machine.memory;
        cost.backward.compute += accumulation;
        cost.backward.weightGradient += accumulation;
        return cost;
    }

    /// A bare layer with one kind of recomputation.
    [[nodiscard]] LayerCost recomputed(LayerCost cost, parallel::Recompute recompute, const workload::LayerWork& work,
        const cost::ComputeSeconds& forward) const
    {
        switch (recompute) {
        case parallel::Recompute::None:
            break;
        case parallel::Recompute::Selective:
            cost.recompute.compute = forward.repeated;
            break;
        case parallel::Recompute::Full:
            cost.recompute = cost.forward;
            if (m_software.recomputeEarlyStop)
                cost.recompute.compute -= forward.lastProduct;
            break;
        }
        if (m_strategy.offload == parallel::Offload::Activations)
            waitForHost(work.activations, recompute, cost);
        return cost;
    }

private:
    /// The passes of a layer whose kept activations go to the host and come back. A partner's pass hides no more of
    /// their traffic than leaves them as long as the transfer.
    void waitForHost(
        const workload::LayerActivations& activations, parallel::Recompute recompute, LayerCost& cost) const
    {
        const auto waits = [&](Seconds window) {
            return offloadWait(m_deployment.plan, m_machine, activations, recompute, window);
        };
        const Seconds travel = waits(Seconds{});
        const auto limit = [&](PassCost& pass, Seconds room) {
            pass.pairable = std::clamp(room, Seconds{}, pass.pairable);
        };
        const Seconds forward = cost.forward.total();
        limit(cost.forward, forward - travel);
        cost.forward.host += waits(forward);
        // Weight gradients that run apart need them once more.
        const bool splits = pipeline::splitsBackward(m_strategy.schedule);
        const Seconds apart = splits ? cost.backward.weightGradient : Seconds{};
        const Seconds backward = cost.backward.total() + cost.recompute.total() - apart;
        limit(cost.backward, backward - travel);
        limit(cost.recompute, backward - travel - cost.backward.pairable);
        cost.backward.host += waits(backward) + (splits ? waits(apart) : Seconds{});
    }

    /// The host quantizes, splits and launches for each expert of the rank by itself.
    [[nodiscard]] Seconds hostOfExperts(const workload::LayerWork& work) const
    {
        if (work.expertParameters <= 0)
            return {};
        return m_software.hostPerExpert * (double(m_deployment.plan.model.moe->experts) / m_strategy.ep);
    }

    /// `shared`: what is left of the shared experts to hide expert traffic behind.
    void addCollective(PassCost& cost, const workload::Collective& c, Seconds attention, Seconds& shared) const
    {
        const Seconds time = seconds(c, m_deployment);
        switch (c.axis) {
        case parallel::Axis::Tp:
            cost.exposed.tp += time * (1 - m_software.tpOverlap);
            cost.hidden.tp += time * m_software.tpOverlap;
            break;
        case parallel::Axis::Cp: {
            if (c.kind != workload::CollectiveKind::RingExchange) {
                cost.exposed.cp += time;
                break;
            }
            // The ring's next block travels while attention works on the current one; the first block is at home.
            const double steps = m_strategy.cp;
            const Seconds hidden = std::min(time, attention * ((steps - 1) / steps));
            cost.exposed.cp += time - hidden;
            cost.hidden.cp += hidden;
            break;
        }
        case parallel::Axis::Pp: // of the stages that share the vocabulary: they wait for one another, or run other
                                 // passes meanwhile
            (m_strategy.vocabularyPlacement == parallel::VocabularyPlacement::Interlaced ? cost.exposed.pp
                                                                                         : cost.hidden.pp) += time;
            break;
        default: {
            const Seconds behindShared = std::min(time, shared);
            shared -= behindShared;
            const Seconds hidden = behindShared + (time - behindShared) * m_software.epOverlap;
            cost.exposed.ep += time - hidden;
            cost.hidden.ep += hidden;
            break;
        }
        }
    }

    const cost::Deployment& m_deployment;
    const parallel::Strategy& m_strategy;
    const cost::Machine& m_machine;
    const plan::SoftwareProfile& m_software;
    Seconds m_hostForward, m_hostBackward;
};

/// FSDP gathers before each pass and reduces after the backward pass.
void addShardTraffic(const cost::Deployment& deployment, const workload::LayerWork& work, LayerCost& cost)
{
    cost::Windows windows{cost.forward.total(), cost.backward.total() + cost.recompute.total()};
    for (const bool experts : {false, true}) {
        const double parameters = experts ? work.expertParameters : work.parameters;
        if (parameters <= 0)
            continue;
        const cost::ShardTraffic traffic = shardTraffic(deployment, parameters, experts, windows);
        addTraffic(cost.forward, traffic.forward);
        addTraffic(cost.backward, traffic.backward);
    }
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
    if (deployment.plan.strategy.zeroStage < 3)
        return;
    const auto add = [&](double parameters, cost::Windows windows) {
        const cost::ShardTraffic traffic = shardTraffic(deployment, parameters, false, windows, true);
        addTraffic(stage.forward, traffic.forward);
        addTraffic(stage.backward, traffic.backward);
    };
    if (layout.embeddingParameters > 0)
        add(layout.embeddingParameters, {});
    if (layout.headParameters > 0)
        add(layout.headParameters, {lastLayer.forward.window(), lastLayer.backward.window()});
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

MicroBatchCompute microBatchCompute(
    const plan::Plan& plan, const cost::Machine& machine, const workload::MicroBatchWork& work)
{
    const auto secondsOf = [&](const workload::Pass& pass) { return seconds(pass, machine, plan.training.software); };
    return {secondsOf(work.dense.forward), secondsOf(work.dense.backward), secondsOf(work.moe.forward),
        secondsOf(work.moe.backward), secondsOf(work.embeddingForward), secondsOf(work.embeddingBackward),
        secondsOf(work.headForward), secondsOf(work.headBackward), secondsOf(work.mergeForward),
        secondsOf(work.mergeBackward)};
}

MicroBatchCost microBatchCost(
    const cost::Deployment& deployment, const workload::MicroBatchWork& work, const MicroBatchCompute& compute)
{
    const Pricer price(deployment);
    const auto end = [&](const workload::Pass& pass, const cost::ComputeSeconds& known) {
        return price.pass(pass, known, Seconds{});
    };
    MicroBatchCost cost{price.layer(work.dense, compute.denseForward, compute.denseBackward),
        price.layer(work.moe, compute.moeForward, compute.moeBackward),
        end(work.embeddingForward, compute.embeddingForward), end(work.embeddingBackward, compute.embeddingBackward),
        end(work.headForward, compute.headForward), end(work.headBackward, compute.headBackward),
        end(work.mergeForward, compute.mergeForward), end(work.mergeBackward, compute.mergeBackward)};
    if (!mixesRecompute(deployment.plan.strategy))
        return cost;
    const LayerCost dense = price.bareLayer(work.dense, compute.denseForward, compute.denseBackward);
    const LayerCost moe = price.bareLayer(work.moe, compute.moeForward, compute.moeBackward);
    for (const parallel::Recompute recompute : parallel::kAllRecompute) {
        cost.mixed.push_back(price.recomputed(dense, recompute, work.dense, compute.denseForward));
        cost.mixed.push_back(price.recomputed(moe, recompute, work.moe, compute.moeForward));
    }
    return cost;
}

LayerCost layerCost(const cost::Deployment& deployment, const workload::LayerWork& work,
    const cost::ComputeSeconds& forward, const cost::ComputeSeconds& backward)
{
    return Pricer(deployment).layer(work, forward, backward);
}

MicroBatchCost microBatchCost(const cost::Deployment& deployment, const workload::MicroBatchWork& work)
{
    return microBatchCost(deployment, work, microBatchCompute(deployment.plan, deployment.machine, work));
}

void addShardTraffic(const cost::Deployment& deployment, const workload::MicroBatchWork& work, MicroBatchCost& micro)
{
    if (deployment.plan.strategy.zeroStage < 3)
        return;
    addShardTraffic(deployment, work.dense, micro.dense);
    addShardTraffic(deployment, work.moe, micro.moe);
    for (std::size_t i = 0; i < micro.mixed.size(); ++i)
        addShardTraffic(deployment, i % 2 == 0 ? work.dense : work.moe, micro.mixed[i]);
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
    if (deployment.plan.strategy.zeroStage < 3)
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
