// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/layer_experts.h"

#include "core/pricing/stage_cost.h"

namespace stratoplan::pricing {
namespace {

/// That a rank gets in the exchanges of a pass.
Bytes exchanged(const workload::Pass& pass, int ranks)
{
    Bytes bytes{};
    for (const workload::Collective& collective : pass.collectives)
        if (collective.axis == parallel::Axis::Ep)
            bytes += collective.bytes * (collective.count * (ranks - 1) / ranks);
    return bytes;
}

/// Of a pass of the layer, what its divided operators do not take.
partition::PassPrice beside(const partition::PassPrice& divided, const PassCost& pass)
{
    partition::PassPrice price;
    price.compute = pass.compute - divided.compute;
    price.weightGradient = pass.weightGradient - divided.weightGradient;
    price.exposed = pass.exposed.ep;
    price.hidden = pass.hidden.ep;
    return price;
}

} // namespace

LayerExperts layerExperts(const plan::Plan& plan, const cost::Machine& machine)
{
    if (!plan.model.moe)
        return {};
    const LoweredPlan lowered = pricing::lowered(plan, machine);
    const cost::Deployment deployment(plan, machine);
    const LayerCost layer = microBatchCost(deployment, lowered.workload, lowered.divided).moe;
    const workload::LayerWork& work = lowered.workload.moe;
    const partition::PassPrices& divided = lowered.divided->any().passes;
    LayerExperts experts{{beside(divided.forward, layer.forward), beside(divided.backward, layer.backward),
                             beside(divided.repeated, layer.recompute)},
        work.expertParameters};
    const int ranks = plan.strategy.ep;
    experts.passes.forward.collective = exchanged(work.forward, ranks);
    experts.passes.backward.collective = exchanged(work.backward, ranks);
    if (plan.strategy.recompute == parallel::Recompute::Full)
        experts.passes.repeated.collective = experts.passes.forward.collective;
    return experts;
}

void addExperts(const LayerExperts& experts, partition::PricedLayer& layer)
{
    for (partition::PricedOperator& op : layer.operators) {
        if (op.kind != partition::OperatorKind::Experts)
            continue;
        op.passes += experts.passes;
        op.parameters += experts.parameters;
        layer.passes += experts.passes;
        layer.parameters += experts.parameters;
    }
}

} // namespace stratoplan::pricing
