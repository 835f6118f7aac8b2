// SPDX-License-Identifier: Apache-2.0
// Seconds of one micro-batch on each pipeline stage, and of the end of the step, split the way the breakdown shows
// them.
#pragma once

#include "core/cost/communication.h"
#include "core/cost/compute.h"
#include "core/cost/machine.h"
#include "core/pipeline/pipeline.h"
#include "core/pricing/breakdown.h"
#include "core/pricing/divided_layers.h"
#include "core/workload/workload.h"

#include <vector>

namespace stratoplan::pricing {

/// One pass (forward, backward, recomputation) of one micro-batch.
struct PassCost {
    Seconds compute{};
    Seconds weightGradient{}; ///< of `compute`: what no other stage waits for
    Seconds
        host{}; ///< the accelerator waits for the host: to launch kernels, to take or bring back offloaded activations
    CommunicationSeconds exposed;
    CommunicationSeconds hidden;
    Seconds pairable{}; ///< of `exposed.ep`: what hides behind a pass that runs together with this one, as far as the
                        ///< host keeps up
    [[nodiscard]] Seconds total() const { return compute + host + exposed.total(); }
    /// What data-parallel traffic can hide behind: while the accelerator waits for the host its links are as free as
    /// ever.
    [[nodiscard]] Seconds window() const { return compute + host; }
    /// Data-parallel traffic beside it.
    void add(const cost::Overlap& traffic)
    {
        exposed.dp += traffic.exposed;
        hidden.dp += traffic.hidden;
    }
    bool operator==(const PassCost&) const = default;
};

/// Passes of one layer of a kind.
struct LayerCost {
    PassCost forward, backward, recompute;
    bool isBound = false; ///< DividedLayer::isBound
    /// What each pass of ZeRO-3's traffic can hide behind.
    [[nodiscard]] cost::Windows windows() const
    {
        const Seconds backwards = backward.total() + recompute.total();
        const Seconds all = forward.total() + backwards;
        return isBound ? cost::Windows{all, all} : cost::Windows{forward.total(), backwards};
    }
};

/// Of a boundary transfer, the share that blocks the stage which sends it.
[[nodiscard]] double blockingShare(const plan::Plan& plan);

/// What everything a stage may run costs for one micro-batch. It depends on what the work depends on, on recomputation,
/// and on where the TP, CP and EP groups lie.
struct MicroBatchCost {
    LayerCost dense, moe; ///< recomputed as the strategy says
    PassCost embeddingForward, embeddingBackward;
    PassCost headForward, headBackward;
    PassCost mergeForward, mergeBackward;
    std::vector<LayerCost>
        mixed{}; ///< where stages or layers are recomputed unlike: dense and MoE with every kind of recomputation
    [[nodiscard]] const LayerCost& layer(bool experts, parallel::Recompute recompute) const
    {
        return !mixed.empty() ? mixed[2 * std::size_t(recompute) + std::size_t(experts)] : experts ? moe : dense;
    }
};
[[nodiscard]] MicroBatchCost microBatchCost(const cost::Deployment& deployment, const workload::MicroBatchWork& work,
    std::shared_ptr<const DividedLayers> divided = nullptr);

/// The computation in it, which recomputation and the placement of groups leave alone.
struct MicroBatchCompute {
    cost::ComputeSeconds denseForward, denseBackward, moeForward, moeBackward;
    cost::ComputeSeconds embeddingForward, embeddingBackward, headForward, headBackward, mergeForward, mergeBackward;
    std::shared_ptr<const DividedLayers> divided{}; ///< null: as Megatron partitions them
};
[[nodiscard]] MicroBatchCompute microBatchCompute(const plan::Plan& plan, const cost::Machine& machine,
    const workload::MicroBatchWork& work, std::shared_ptr<const DividedLayers> divided = nullptr);
/// The same cost from computation that is known already; the operators of `work` are not looked at.
[[nodiscard]] MicroBatchCost microBatchCost(
    const cost::Deployment& deployment, const workload::MicroBatchWork& work, const MicroBatchCompute& compute);
/// Of one kind of layer.
[[nodiscard]] LayerCost layerCost(const cost::Deployment& deployment, const workload::LayerWork& work,
    const cost::ComputeSeconds& forward, const cost::ComputeSeconds& backward);
/// Adds the traffic of the layers' shards under ZeRO-3, prefetched behind each layer's own computation.
void addShardTraffic(const cost::Deployment& deployment, const workload::MicroBatchWork& work, MicroBatchCost& micro);

/// One micro-batch on one stage, or through one of its chunks.
struct StagePasses {
    PassCost forward, backward, recompute;
    Seconds sendForward{}; ///< one boundary transfer's part that delays only the receiver
    Seconds sendBackward{};
    Seconds reshardForward{}; ///< what the receiver takes to gather it
    Seconds reshardBackward{};
    bool operator==(const StagePasses&) const = default;
};
/// One transfer of a stage to each of its neighbours.
struct Sends {
    Seconds down{}, up{};
    Seconds reshardDown{}, reshardUp{}; ///< by their receivers
    double blocking = 0; ///< share of `down` and `up` that holds up the stage itself
};
[[nodiscard]] Sends sendsOf(const cost::Deployment& deployment, Bytes boundary, int index);

/// Of a stage of one chunk.
[[nodiscard]] StagePasses stagePasses(const cost::Deployment& deployment, const MicroBatchCost& micro,
    const workload::StageLayout& layout, Bytes boundary, int index);
/// The same through each of several chunks, with their layouts, whose parameters need not be counted.
[[nodiscard]] std::vector<StagePasses> chunkCosts(const cost::Deployment& deployment, const MicroBatchCost& micro,
    const workload::MicroBatchWork& work, const std::vector<workload::StageLayout>& layouts, int index);
/// What a stage does for one micro-batch with such chunks: all of them, or their mean in a two-way schedule.
[[nodiscard]] StagePasses joinChunks(parallel::Schedule schedule, const std::vector<StagePasses>& chunks);
// The same in pieces, where many chunks are alike: a chunk without what it sends and what stages that share the
// vocabulary tell each other; what a chunk that some stage numbers so adds to that, beside passes of `elsewhere`;
// several such chunks of one stage; and what it sends.
[[nodiscard]] StagePasses plainPasses(const cost::Deployment& deployment, const MicroBatchCost& micro,
    const workload::MicroBatchWork& work, const workload::StageLayout& layout);
void addTraffic(const cost::Deployment& deployment, const MicroBatchCost& micro, const workload::StageLayout& layout,
    const Sends& sends, int index, int chunk, Seconds elsewhere, StagePasses& passes);
void addChunks(parallel::Schedule schedule, const StagePasses& chunk, int times, StagePasses& stage);
/// Down with activations of the first chunk, up with its gradients; in a loop with any chunk's, and the first one may
/// send none up.
void setTransfers(parallel::Schedule schedule, const StagePasses& first, const StagePasses& last, StagePasses& stage);

struct EndOfStep {
    cost::Overlap gradientSync;
    Seconds optimizer{};
    cost::Overlap parameterGather;
    Bytes gradients{}; ///< that a rank sums with its replicas
    Bytes gathered{}; ///< parameters, in the end
};
[[nodiscard]] EndOfStep endOfStep(const cost::Deployment& deployment, const workload::StageLayout& layout,
    const StagePasses& passes, int microBatches);

struct StageCost {
    StagePasses passes;
    EndOfStep end;
};

/// What stages that share the vocabulary tell each other behind their passes. It goes round all the time: before the
/// loss of one micro-batch is back the next one's is under way, and a collective holds compute units until the last
/// stage has joined it. `elsewhere`: what else the stage computes for a micro-batch, in its other chunks.
void addLossTraffic(const cost::Deployment& deployment, const MicroBatchCost& micro,
    const workload::StageLayout& layout, Seconds elsewhere, StagePasses& stage);
/// Computation of one micro-batch that its traffic can hide behind.
[[nodiscard]] inline Seconds window(const StagePasses& stage)
{
    return stage.forward.window() + stage.backward.window() + stage.recompute.window();
}
/// What the stages that share the vocabulary ask of the pipeline: it looks further ahead, while the loss goes round.
/// `cost` is that of its micro-batch, `stretch` as below.
void placeVocabulary(
    const parallel::Strategy& strategy, const MicroBatchCost& cost, double stretch, pipeline::PipelineWork& work);

/// A synchronous step takes as long as its slowest scale-up domain: that of n whose speeds vary normally lies sqrt(2 ln
/// n) standard deviations behind. It stretches everything alike, so that the simulated step is the estimated one.
[[nodiscard]] double stretch(const plan::Plan& plan, const cost::Machine& machine);
/// When the plan's runtime carries out communication: as its software does, or as the timing pass has it. `pipeline`:
/// where its stages lie. A stage with both neighbours in other nodes sends to them through one port of the network.
[[nodiscard]] parallel::CommunicationTiming communicationTiming(const plan::Plan& plan, const cluster::Span& pipeline);
/// What the pipeline simulates of a stage, every duration times `stretch`.
[[nodiscard]] pipeline::StageWork stageWork(const StagePasses& passes, const EndOfStep& end, double stretch);
/// The same of one of its chunks.
[[nodiscard]] pipeline::ChunkWork chunkWork(const StagePasses& passes);

} // namespace stratoplan::pricing
