// SPDX-License-Identifier: Apache-2.0
#include "core/partition/context_exchange.h"

namespace stratoplan::partition {

workload::ContextTensors part(const workload::ContextTensors& whole, double ofKeys, double ofQueries, int cutsOfHeads)
{
    return {whole.keysAndValues * ofKeys, whole.queriesAndOutputs * ofQueries, whole.kvHeads / cutsOfHeads,
        whole.keyAndValueGradients * ofKeys, whole.queryAndOutputGradients * ofQueries, whole.sendsGradientsHome,
        whole.queryGradients * ofQueries};
}

namespace {

PassPrice priced(
    const std::vector<workload::Collective>& collectives, int ranks, const GroupPlace& place, Seconds attention)
{
    PassPrice price;
    for (const workload::Collective& c : collectives) {
        price.context += cost::contextOverlap(c, cost::seconds(c, place.span, place.topology), attention, ranks);
        if (c.kind == workload::CollectiveKind::RingExchange)
            price.ring += c.bytes * (c.count * (ranks - 1));
        else
            price.collective += c.bytes * (c.count * (ranks - 1) / ranks);
    }
    price.exposed = price.context.exposed;
    price.hidden = price.context.hidden;
    return price;
}

/// Where each rank holds no more than its share.
workload::ContextTensors leastHeld(const BlockContext& context, int ranks)
{
    const double share = 1.0 / ranks;
    return part(context.tensors, share, share, 1);
}

} // namespace

ContextExchange contextExchange(const BlockContext& context, const workload::ContextTensors& held,
    const GroupPlace& place, Seconds attention, Seconds attentionBackward)
{
    const workload::ContextCollectives all = workload::contextCollectives(context.method, context.ranks, held);
    const double part = 1.0 / context.parts;
    const PassPrice forward = priced(all.forward, context.ranks, place, attention * context.parts).times(part);
    const PassPrice backward =
        priced(all.backward, context.ranks, place, attentionBackward * context.parts).times(part);
    const workload::ContextBlocks blocks = workload::contextBlocks(context.method, context.ranks, held);
    return {{forward, backward, forward.times(context.isRepeated)}, {blocks.blocks * part, blocks.gradients * part}};
}

workload::ContextBlocks leastContextBlocks(const BlockContext& context, int ranks)
{
    if (context.ranks == 1)
        return {};
    return workload::contextBlocks(context.method, context.ranks, leastHeld(context, ranks));
}

/// More attention takes longer than it hides.
Seconds leastContextExchange(
    const BlockContext& context, int ranks, const LeastCompute& compute, const cost::Deployment& deployment)
{
    if (context.ranks == 1)
        return {};
    const auto waits = [&](const std::vector<workload::Collective>& collectives, Seconds attention) {
        Seconds sum{};
        for (const workload::Collective& c : collectives)
            sum += cost::contextOverlap(c, cost::seconds(c, deployment), attention, context.ranks).exposed;
        return sum;
    };
    const workload::ContextCollectives all =
        workload::contextCollectives(context.method, context.ranks, leastHeld(context, ranks));
    return waits(all.forward, compute.attention) * (1 + context.isRepeated)
        + waits(all.backward, compute.attentionBackward);
}

} // namespace stratoplan::partition
