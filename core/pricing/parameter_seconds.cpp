// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/parameter_seconds.h"

#include "core/parallel/route.h"
#include "core/pricing/stage_cost.h"
#include "core/workload/layer.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::pricing {
namespace {

/// Of one layer on a rank, were its blocks of weights shared out evenly.
double shareOfParameters(const plan::Plan& plan)
{
    const model::Transformer& model = plan.model;
    const double hidden = model.hidden, heads = double(model.heads) * model.headDim;
    const double keys = 2.0 * model.kvHeads * model.headDim;
    const double width = model.moe ? workload::sharedWidth(*model.moe) : model.ffnHidden;
    const double products = (model.gatedMlp ? 3.0 : 2.0) * width;
    return hidden * (2 * heads + keys + products) / plan.strategy.tp;
}

/// Of a stage with layers that have so many parameters, what a step takes in the end and no pass hides.
Seconds endOf(const cost::Deployment& deployment, const StagePasses& passes, int microBatches, double parameters)
{
    workload::StageLayout layout;
    layout.parameters = parameters;
    const EndOfStep end = endOfStep(deployment, layout, passes, microBatches);
    return end.gradientSync.exposed + end.parameterGather.exposed + end.optimizer;
}

Seconds shardTrafficOf(const cost::Deployment& deployment, Seconds forward, Seconds backward, double parameters)
{
    cost::Windows windows{forward, backward};
    const cost::ShardTraffic traffic = shardTraffic(deployment, parameters, false, windows);
    return traffic.forward.exposed + traffic.backward.exposed;
}

} // namespace

double secondsOfParameter(const cost::Deployment& deployment, double layer, int microBatches)
{
    const parallel::Strategy& s = deployment.plan.strategy;
    const double share = shareOfParameters(deployment.plan);
    const double layers = std::ceil(double(deployment.plan.model.layers) / s.pp);
    const Seconds forward(layer / 3), backward(layer * 2 / 3);
    StagePasses passes;
    passes.forward.compute = forward * layers;
    passes.backward.compute = backward * layers;
    const auto end = [&](double shares) { return endOf(deployment, passes, microBatches, shares * share * layers); };
    const double fill = double(s.pp - 1) / parallel::effectiveChunks(s.schedule, s.vpp);
    double seconds = (end(2) - end(1)).value() / (layers * (microBatches + fill));
    if (effectiveZeroStage(deployment.plan) == 3)
        seconds += (shardTrafficOf(deployment, forward, backward, 2 * share)
            - shardTrafficOf(deployment, forward, backward, share))
                       .value();
    return std::max(0.0, seconds / share);
}

} // namespace stratoplan::pricing
