// SPDX-License-Identifier: Apache-2.0
// The end of a step, and what the pipeline simulates of a stage.
#include "core/estimate/stage_cost.h"

#include "core/cost/host_memory.h"
#include "core/parallel/route.h"

#include <algorithm>
#include <cmath>

namespace stratoplan {

EndOfStep endOfStep(const Deployment& deployment, const StageLayout& layout, const StagePasses& passes, int microBatches)
{
    const Strategy& strategy = deployment.plan.strategy;
    const SoftwareProfile& software = deployment.plan.training.software;
    EndOfStep end;
    if (strategy.zeroStage < 3) {
        // In a two-way schedule `passes` are the mean of two chunks, and it takes a micro-batch each way to touch all parameters.
        const int ways = shape(strategy.schedule) == PipelineShape::TwoWay ? 2 : 1;
        Windows windows{passes.forward.window() * ways, (passes.backward.window() + passes.recompute.window()) * ways};
        end.gradientSync = gradientSync(deployment, layout.parameters, false, windows, microBatches / ways);
        end.gradients = summedGradients(deployment, layout.parameters, false) + summedGradients(deployment, layout.expertParameters, true);
        if (layout.expertParameters > 0)
            end.gradientSync += gradientSync(deployment, layout.expertParameters, true, windows, microBatches / ways);
        if (ways == 2)
            end.gradientSync.exposed += mirrorSync(deployment, layout.parameters, layout.expertParameters);
    }
    const double shards = strategy.zeroStage >= 1 ? deployment.groups[RankGroup::Shards].size : 1;
    const double expertShards = strategy.zeroStage >= 1 ? deployment.groups[RankGroup::ExpertShards].size : 1;
    const double local = layout.parameters / shards + layout.expertParameters / expertShards;
    end.optimizer = optimizerSeconds(deployment.plan, deployment.machine, local) + software.shardBroadcast * (shards > 1 ? shards : 0);
    return end;
}

double stretch(const Plan& plan, const Machine& machine)
{
    const double domains = std::max(1.0, double(rankCount(plan.strategy)) / machine.domain);
    return 1 + plan.training.software.scaleJitter * std::sqrt(2 * std::log(domains));
}

CommunicationTiming communicationTiming(const Plan& plan, const Span& pipeline)
{
    const SoftwareProfile& software = plan.training.software;
    CommunicationTiming timing
        = plan.strategy.timingPass ? kPassedTiming : CommunicationTiming{software.transfers, software.lazyTransfers, software.gradientSync};
    timing.onePort = timing.path == TransferPath::Links && pipeline.size > 1 && pipeline.inside <= 1;
    return timing;
}

ChunkWork chunkWork(const StagePasses& passes, double stretch)
{
    ChunkWork work;
    work.recompute = passes.recompute.total() * stretch;
    work.forward = passes.forward.total() * stretch;
    work.backward = passes.backward.total() * stretch + work.recompute;
    work.weightGradient = passes.backward.weightGradient * stretch;
    work.sendForward = passes.sendForward * stretch;
    work.sendBackward = passes.sendBackward * stretch;
    work.forwardTraffic = passes.forward.pairable * stretch;
    work.backwardTraffic = (passes.backward.pairable + passes.recompute.pairable) * stretch;
    return work;
}

StageWork stageWork(const StagePasses& passes, const EndOfStep& end, double stretch)
{
    return {chunkWork(passes, stretch), end.gradientSync.exposed * stretch, end.optimizer * stretch};
}

} // namespace stratoplan
