// SPDX-License-Identifier: Apache-2.0
#include "core/cost/resharding.h"

#include "core/cluster/collectives.h"

#include <algorithm>
#include <cstdint>

namespace stratoplan::cost {

int partsTouched(int sent, int received)
{
    std::int64_t most = 1;
    for (std::int64_t i = 0; i < received; ++i) {
        const std::int64_t first = i * sent / received;
        const std::int64_t end = ((i + 1) * sent + received - 1) / received;
        most = std::max(most, end - first);
    }
    return int(most);
}

// In one piece: the three ways of a transfer, as it is, in slices and by broadcast, differ in a few terms.
BoundaryTransfer boundaryTransfer(
    const BoundaryEnd& sender, const BoundaryEnd& receiver, int lower, parallel::ReshardMethod method)
{
    const plan::Plan& from = sender.deployment.plan;
    const plan::Plan& to = receiver.deployment.plan;
    BoundaryTransfer result;
    if (from.strategy.tp == to.strategy.tp) {
        result.bytes = boundaryBytes(from, sender.boundary);
        result.transfer = boundarySeconds(sender.deployment, sender.boundary, lower);
        return result;
    }
    result.reshards = true;
    const cluster::Topology& topology = receiver.deployment.machine.topology;
    const cluster::Span& group = receiver.deployment.groups[parallel::RankGroup::Tensor];
    const Seconds latency = to.training.software.p2pLatency;
    const int replicas = partsTouched(from.strategy.dp, to.strategy.dp); // whose sequences a receiving replica has
    const bool slices = from.strategy.sequenceParallel || to.strategy.sequenceParallel;
    if (slices || method == parallel::ReshardMethod::SendReceive) {
        result.bytes = receiver.boundary / to.strategy.tp;
        result.messages = slices ? replicas * partsTouched(from.strategy.tp, to.strategy.tp) : 1;
        const Seconds each = latency + linkSeconds(receiver.deployment, Bytes{}, lower);
        result.transfer =
            each * (result.messages - 1) + latency + linkSeconds(receiver.deployment, result.bytes, lower);
        if (!to.strategy.sequenceParallel && to.strategy.tp > 1)
            result.gather = allGather(topology, group, receiver.boundary);
        return result;
    }
    result.bytes = receiver.boundary;
    result.messages = replicas;
    // Of the t1 ranks that have a replica's tensor, as many send as there are receiving replicas that share its
    // sequences.
    const int senders = std::min(from.strategy.tp, partsTouched(to.strategy.dp, from.strategy.dp));
    const int idle = std::max(1, from.strategy.tp / senders);
    const Bytes part = receiver.boundary / replicas;
    const Seconds arrives = linkSeconds(receiver.deployment, Bytes{}, lower, idle);
    const Seconds crossing = linkSeconds(receiver.deployment, part, lower, idle) - arrives;
    const Seconds hops = broadcast(topology, group, Bytes{});
    const Seconds passing = broadcast(topology, group, receiver.boundary) - hops;
    result.transfer = latency + arrives + hops + std::max(crossing, passing);
    return result;
}

} // namespace stratoplan::cost
