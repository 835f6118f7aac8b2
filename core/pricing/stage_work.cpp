// SPDX-License-Identifier: Apache-2.0
// The end of a step, and what the pipeline simulates of a stage.
#include "core/pricing/stage_cost.h"

#include "core/cost/host_memory.h"
#include "core/parallel/route.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::pricing {

namespace {

/// The update of a rank's share, what brings its gradients to the host, and what returns it to the others.
Seconds optimizerOf(const cost::Deployment& deployment, const workload::StageLayout& layout, int zeroStage,
    Seconds backward, int microBatches)
{
    const plan::SoftwareProfile& software = deployment.plan.training.software;
    const double shards = zeroStage >= 1 ? deployment.groups[parallel::RankGroup::Shards].size : 1;
    const double expertShards = zeroStage >= 1 ? deployment.groups[parallel::RankGroup::ExpertShards].size : 1;
    cost::UpdatedShare share = cost::updatedShare(layout, shards, expertShards);
    // A rank orthogonalises whole matrices, the ones that its shard touches.
    share.orthogonalisation = std::max(share.orthogonalisation, layout.orthogonalisation.largest);
    // Of attention its input and output products, of an FFN its input and output products, and two norms.
    constexpr double kTensorsOfLayer = 6;
    const double tensors = kTensorsOfLayer * (layout.denseLayers + layout.moeLayers);
    return optimizerSeconds(deployment.plan, deployment.machine, share)
        + gradientWait(deployment.plan, deployment.machine, share, backward, microBatches)
        + (software.shardBroadcast + software.shardSlice * tensors) * (shards > 1 ? shards : 0);
}

} // namespace

EndOfStep endOfStep(const cost::Deployment& deployment, const workload::StageLayout& layout, const StagePasses& passes,
    int microBatches)
{
    const parallel::Strategy& strategy = deployment.plan.strategy;
    const int zeroStage = effectiveZeroStage(deployment.plan);
    EndOfStep end;
    // In a two-way schedule `passes` are the mean of two chunks, and it takes a micro-batch each way to touch all
    // parameters.
    const int ways = shape(strategy.schedule) == parallel::PipelineShape::TwoWay ? 2 : 1;
    const Seconds backward = (passes.backward.window() + passes.recompute.window()) * ways;
    if (zeroStage < 3) {
        cost::ReplicaWindows windows({passes.forward.window() * ways, backward});
        const auto add = [&](double parameters, bool experts) {
            const cost::ReplicaTraffic traffic = replicaTraffic(
                deployment, parameters, experts, windows, microBatches / ways, experts ? 0 : layout.tables());
            end.gradientSync += traffic.reduction;
            end.parameterGather += traffic.gather;
        };
        add(layout.parameters, false);
        end.gradients = summedGradients(deployment, layout.parameters, false)
            + summedGradients(deployment, layout.expertParameters, true);
        if (layout.expertParameters > 0)
            add(layout.expertParameters, true);
        if (ways == 2)
            end.gradientSync.exposed += mirrorSync(deployment, layout.parameters, layout.expertParameters);
    }
    if (zeroStage == 1 || zeroStage == 2)
        end.gathered = cost::gatheredParameters(
            deployment.plan.training, layout.parameters + layout.expertParameters, layout.tables());
    end.optimizer = optimizerOf(deployment, layout, zeroStage, backward, microBatches / ways);
    return end;
}

double stretch(const plan::Plan& plan, const cost::Machine& machine)
{
    const double domains = std::max(1.0, double(rankCount(plan.strategy)) / machine.domain);
    return 1 + plan.training.software.scaleJitter * std::sqrt(2 * std::log(domains));
}

parallel::CommunicationTiming communicationTiming(const plan::Plan& plan, const cluster::Span& pipeline)
{
    const plan::SoftwareProfile& software = plan.training.software;
    parallel::CommunicationTiming timing = plan.strategy.timingPass
        ? parallel::kPassedTiming
        : parallel::CommunicationTiming{software.transfers, software.lazyTransfers, software.gradientSync};
    timing.onePort = timing.path == parallel::TransferPath::Links && pipeline.size > 1 && pipeline.inside <= 1;
    return timing;
}

pipeline::ChunkWork chunkWork(const StagePasses& passes)
{
    pipeline::ChunkWork work;
    work.recompute = passes.recompute.total();
    work.forward = passes.forward.total();
    work.backward = passes.backward.total() + work.recompute;
    work.weightGradient = passes.backward.weightGradient;
    work.sendForward = passes.sendForward;
    work.sendBackward = passes.sendBackward;
    work.reshardForward = passes.reshardForward;
    work.reshardBackward = passes.reshardBackward;
    work.forwardTraffic = passes.forward.pairable;
    work.backwardTraffic = passes.backward.pairable + passes.recompute.pairable;
    return work;
}

pipeline::StageWork stageWork(const StagePasses& passes, const EndOfStep& end, double stretch)
{
    return {chunkWork(passes) * stretch, end.gradientSync.exposed * stretch, end.optimizer * stretch,
        end.parameterGather.exposed * stretch};
}

} // namespace stratoplan::pricing
