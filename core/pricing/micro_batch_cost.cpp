// SPDX-License-Identifier: Apache-2.0
// Of the cost of a stage: what each thing that it may run costs for one micro-batch.
#include "core/cost/host_memory.h"
#include "core/pipeline/program.h"
#include "core/pricing/stage_cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stratoplan::pricing {
namespace {

class LayerPricer {
public:
    explicit LayerPricer(const cost::Deployment& deployment)
        : m_deployment(deployment)
        , m_strategy(deployment.plan.strategy)
        , m_machine(deployment.machine)
        , m_software(deployment.plan.training.software)
    {
        const double tpDoublings = m_strategy.tp > 1 ? std::log2(m_strategy.tp) : 0;
        const Seconds perTp = m_software.hostPerTpDoubling * tpDoublings;
        const model::ModuleShares shares = moduleShares(deployment.plan.model);
        const double modules = shares.norms() / 2; // of a mixer and an FFN
        m_hostForward = (m_software.hostForward + perTp) * modules;
        m_hostBackward = (m_software.hostBackward + perTp) * modules;
        m_expertLayers = shares.ffn;
    }

    /// Prices the collectives of a pass beside its computation; `floor` is the host's time to launch it. `divided`: of
    /// operators that are divided in space and time, whose traffic is known.
    [[nodiscard]] PassCost pass(const workload::Pass& work, const cost::ComputeSeconds& compute, Seconds floor,
        const partition::PassPrice& divided = {}) const
    {
        PassCost cost;
        cost.compute = compute.total;
        cost.weightGradient = compute.weightGradient;
        addTraffic(divided, cost);
        Seconds shared = compute.sharedExperts * m_software.expertOverlap;
        for (const workload::Collective& c : work.collectives)
            addCollective(cost, c, compute.attentionCore, shared);
        const Seconds device = cost.compute + cost.exposed.total();
        if (floor.value() > 0)
            floor += hostOfCollectives(work);
        cost.host = std::max(Seconds{}, floor - device);
        cost.pairable = std::min(cost.exposed.ep, std::max(Seconds{}, device - floor));
        return cost;
    }

    /// Divided in space and time, however its computation was priced.
    [[nodiscard]] LayerCost layer(const workload::LayerWork& work, const DividedLayer& divided) const
    {
        const partition::PassPrices& passes = divided.priced.passes;
        LayerCost cost;
        cost.isBound = divided.isBound;
        // What its ways call is not counted, as a division is chosen before its host is known: whatever it is, as many
        // as Megatron's with sequence parallelism (workload::lower).
        constexpr double kForwardCalls = 4;
        const double backwardCalls = kForwardCalls + 2 * m_software.sequenceParallelRegather;
        const auto floor = [&](Seconds host, double calls) {
            host += hostOfExperts(work);
            return divided.isBound || host.value() <= 0 ? Seconds{} : host + m_software.hostPerCollective * calls;
        };
        cost.forward = pass(work.forward, divided.forward, floor(m_hostForward, kForwardCalls), passes.forward);
        cost.backward = pass(work.backward, divided.backward, floor(m_hostBackward, backwardCalls), passes.backward);
        accumulate(work.expertParameters, cost.backward);
        if (m_strategy.recompute == parallel::Recompute::Full)
            cost.recompute = cost.forward; // with the traffic of experts
        cost.recompute.compute = divided.repeated;
        addTraffic(passes.repeated, cost.recompute);
        if (m_strategy.offload == parallel::Offload::Activations)
            waitForHost(work.activations, m_strategy.recompute, cost);
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
        accumulate(work.parameters + work.expertParameters, cost.backward);
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
            // The core of attention with its context; that of hybrids is not told from the one of their mixers.
            if (m_software.selectiveRecompute == plan::SelectiveRecompute::AttentionCore
                && !m_deployment.plan.model.mamba2) {
                cost.recompute.exposed.cp = cost.forward.exposed.cp;
                cost.recompute.hidden.cp = cost.forward.hidden.cp;
            }
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
    static void addTraffic(const partition::PassPrice& divided, PassCost& cost)
    {
        cost.exposed.tp = divided.exposed - divided.context.exposed;
        cost.hidden.tp = divided.hidden - divided.context.hidden;
        cost.exposed.cp = divided.context.exposed;
        cost.hidden.cp = divided.context.hidden;
    }

    /// Gradients are read, added to and written once per micro-batch where the product does not accumulate in place:
    /// after what the host is waited for, as constants of hosts were fitted.
    void accumulate(double parameters, PassCost& backward) const
    {
        const Seconds accumulation = Bytes(parameters * m_software.gradientAccumulationBytes) / m_machine.memory;
        backward.compute += accumulation;
        backward.weightGradient += accumulation;
    }

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
        return m_software.hostPerExpert * (m_expertLayers * m_deployment.plan.model.moe->experts / m_strategy.ep);
    }

    /// An eager host calls each by itself.
    [[nodiscard]] Seconds hostOfCollectives(const workload::Pass& work) const
    {
        double calls = 0;
        for (const workload::Collective& c : work.collectives)
            calls += c.axis == parallel::Axis::Tp ? c.count : 0;
        return m_software.hostPerCollective * calls;
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
            const cost::Overlap overlap = cost::contextOverlap(c, time, attention, m_strategy.cp);
            cost.exposed.cp += overlap.exposed;
            cost.hidden.cp += overlap.hidden;
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
    double m_expertLayers = 1; ///< share of those that a layer of experts stands for
};

/// FSDP gathers before each pass and reduces after the backward pass.
void addShardTraffic(const cost::Deployment& deployment, const workload::LayerWork& work, LayerCost& cost)
{
    cost::Windows windows = cost.windows();
    for (const bool experts : {false, true}) {
        const double parameters = experts ? work.expertParameters : work.parameters;
        if (parameters <= 0)
            continue;
        const cost::ShardTraffic traffic = shardTraffic(deployment, parameters, experts, windows);
        cost.forward.add(traffic.forward);
        cost.backward.add(traffic.backward);
    }
}

} // namespace

MicroBatchCompute microBatchCompute(const plan::Plan& plan, const cost::Machine& machine,
    const workload::MicroBatchWork& work, std::shared_ptr<const DividedLayers> divided)
{
    const auto secondsOf = [&](const workload::Pass& pass) { return seconds(pass, machine, plan.training.software); };
    return {secondsOf(work.dense.forward), secondsOf(work.dense.backward), secondsOf(work.moe.forward),
        secondsOf(work.moe.backward), secondsOf(work.embeddingForward), secondsOf(work.embeddingBackward),
        secondsOf(work.headForward), secondsOf(work.headBackward), secondsOf(work.mergeForward),
        secondsOf(work.mergeBackward), std::move(divided)};
}

MicroBatchCost microBatchCost(
    const cost::Deployment& deployment, const workload::MicroBatchWork& work, const MicroBatchCompute& compute)
{
    const LayerPricer price(deployment);
    const auto end = [&](const workload::Pass& pass, const cost::ComputeSeconds& known) {
        return price.pass(pass, known, Seconds{});
    };
    const auto layer = [&](const workload::LayerWork& layerWork, const std::optional<DividedLayer>* divided,
                           const cost::ComputeSeconds& forward, const cost::ComputeSeconds& backward) {
        return divided != nullptr && *divided ? price.layer(layerWork, **divided)
                                              : price.layer(layerWork, forward, backward);
    };
    const DividedLayers* const divided = compute.divided.get();
    MicroBatchCost cost{
        layer(work.dense, divided ? &divided->dense : nullptr, compute.denseForward, compute.denseBackward),
        layer(work.moe, divided ? &divided->moe : nullptr, compute.moeForward, compute.moeBackward),
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
    return LayerPricer(deployment).layer(work, forward, backward);
}

MicroBatchCost microBatchCost(const cost::Deployment& deployment, const workload::MicroBatchWork& work,
    std::shared_ptr<const DividedLayers> divided)
{
    return microBatchCost(
        deployment, work, microBatchCompute(deployment.plan, deployment.machine, work, std::move(divided)));
}

void addShardTraffic(const cost::Deployment& deployment, const workload::MicroBatchWork& work, MicroBatchCost& micro)
{
    if (effectiveZeroStage(deployment.plan) < 3)
        return;
    addShardTraffic(deployment, work.dense, micro.dense);
    addShardTraffic(deployment, work.moe, micro.moe);
    for (std::size_t i = 0; i < micro.mixed.size(); ++i)
        addShardTraffic(deployment, i % 2 == 0 ? work.dense : work.moe, micro.mixed[i]);
}

} // namespace stratoplan::pricing
