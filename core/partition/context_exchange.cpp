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

} // namespace

ContextExchange contextExchange(const BlockContext& context, const workload::ContextTensors& held,
    const GroupPlace& place, Seconds attention, Seconds attentionBackward)
{
    const Bytes exchanged = workload::contextExchange(context.method, context.ranks, held);
    const workload::ContextCollectives all = workload::contextCollectives(context.method, exchanged);
    const PassPrice forward = priced(all.forward, context.ranks, place, attention);
    const PassPrice backward = priced(all.backward, context.ranks, place, attentionBackward);
    return {
        {forward, backward, forward.times(context.isRepeated)}, 2 * workload::contextBlocks(context.method, exchanged)};
}

} // namespace stratoplan::partition
