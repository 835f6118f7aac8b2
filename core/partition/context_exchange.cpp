// SPDX-License-Identifier: Apache-2.0
#include "core/partition/context_exchange.h"

namespace stratoplan::partition {
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

/// Of a collective, where each rank holds no more than its share.
Bytes leastExchanged(const BlockContext& context, int ranks)
{
    const workload::ContextTensors& whole = context.tensors;
    const double share = 1.0 / ranks;
    return workload::contextExchange(
        context.method, context.ranks, {whole.keysAndValues * share, whole.queriesAndOutputs * share, whole.kvHeads});
}

} // namespace

ContextExchange contextExchange(const BlockContext& context, const workload::ContextTensors& held,
    const GroupPlace& place, Seconds attention, Seconds attentionBackward)
{
    const Bytes exchanged = workload::contextExchange(context.method, context.ranks, held);
    const workload::ContextCollectives all = workload::contextCollectives(context.method, exchanged);
    const double part = 1.0 / context.parts;
    const PassPrice forward = priced(all.forward, context.ranks, place, attention * context.parts).times(part);
    const PassPrice backward =
        priced(all.backward, context.ranks, place, attentionBackward * context.parts).times(part);
    return {{forward, backward, forward.times(context.isRepeated)},
        workload::contextBlocks(context.method, exchanged) * part};
}

Bytes leastContextBlocks(const BlockContext& context, int ranks)
{
    return context.ranks == 1 ? Bytes{} : workload::contextBlocks(context.method, leastExchanged(context, ranks));
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
        workload::contextCollectives(context.method, leastExchanged(context, ranks));
    return waits(all.forward, compute.attention) * (1 + context.isRepeated)
        + waits(all.backward, compute.attentionBackward);
}

} // namespace stratoplan::partition
