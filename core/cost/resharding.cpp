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

namespace {

bool areApart(const BoundaryEnd& sender, const BoundaryEnd& receiver)
{
    return &sender.deployment.machine != &receiver.deployment.machine;
}

/// As the receiver's ranks share its links; of unlike nodes whichever end takes longer.
Seconds arrival(const BoundaryEnd& sender, const BoundaryEnd& receiver, Bytes bytes, int lower, int fewer = 1)
{
    const bool apart = areApart(sender, receiver);
    const Seconds there = linkSeconds(receiver.deployment, bytes, lower, fewer, apart);
    return apart ? std::max(there, linkSeconds(sender.deployment, bytes, lower, fewer, apart)) : there;
}

/// A rank receives a slice of the tensor; the group gathers them unless it works on slices itself.
BoundaryTransfer sentInSlices(const BoundaryEnd& sender, const BoundaryEnd& receiver, int lower, int replicas)
{
    const parallel::Strategy& from = sender.deployment.plan.strategy;
    const plan::Plan& to = receiver.deployment.plan;
    BoundaryTransfer result;
    result.reshards = true;
    result.bytes = receiver.boundary / to.strategy.tp;
    if (from.sequenceParallel || to.strategy.sequenceParallel)
        result.messages = replicas * partsTouched(from.tp, to.strategy.tp);
    const Seconds latency = to.training.software.p2pLatency;
    const Seconds each = latency + arrival(sender, receiver, Bytes{}, lower);
    result.transfer = each * (result.messages - 1) + latency + arrival(sender, receiver, result.bytes, lower);
    if (!to.strategy.sequenceParallel && to.strategy.tp > 1)
        result.gather = allGather(receiver.deployment.machine.topology,
            receiver.deployment.groups[parallel::RankGroup::Tensor], receiver.boundary);
    return result;
}

/// The whole tensor crosses the boundary in as many parts as there are `replicas`, each passed on through the group.
BoundaryTransfer sentByBroadcast(const BoundaryEnd& sender, const BoundaryEnd& receiver, int lower, int replicas)
{
    const parallel::Strategy& from = sender.deployment.plan.strategy;
    const plan::Plan& to = receiver.deployment.plan;
    const cluster::Topology& topology = receiver.deployment.machine.topology;
    const cluster::Span& group = receiver.deployment.groups[parallel::RankGroup::Tensor];
    BoundaryTransfer result;
    result.reshards = true;
    result.bytes = receiver.boundary;
    result.messages = replicas;
    // Of the t1 ranks that have a replica's tensor, as many send as there are receiving replicas that share its
    // sequences.
    const int senders = std::min(from.tp, partsTouched(to.strategy.dp, from.dp));
    const int idle = std::max(1, from.tp / senders);
    const Bytes part = receiver.boundary / replicas;
    const Seconds arrives = arrival(sender, receiver, Bytes{}, lower, idle);
    const Seconds crossing = arrival(sender, receiver, part, lower, idle) - arrives;
    const Seconds hops = broadcast(topology, group, Bytes{});
    const Seconds passing = broadcast(topology, group, receiver.boundary) - hops;
    result.transfer = to.training.software.p2pLatency + arrives + hops + std::max(crossing, passing);
    return result;
}

} // namespace

BoundaryTransfer boundaryTransfer(
    const BoundaryEnd& sender, const BoundaryEnd& receiver, int lower, parallel::ReshardMethod method)
{
    const parallel::Strategy& from = sender.deployment.plan.strategy;
    const parallel::Strategy& to = receiver.deployment.plan.strategy;
    if (from.tp == to.tp) {
        BoundaryTransfer result;
        result.bytes = boundaryBytes(sender.deployment.plan, sender.boundary);
        const bool apart = areApart(sender, receiver);
        result.transfer = boundarySeconds(sender.deployment, sender.boundary, lower, apart);
        if (apart)
            result.transfer =
                std::max(result.transfer, boundarySeconds(receiver.deployment, receiver.boundary, lower, apart));
        return result;
    }
    const int replicas = partsTouched(from.dp, to.dp); // whose sequences a receiving replica has
    const bool slices = from.sequenceParallel || to.sequenceParallel;
    return slices || method == parallel::ReshardMethod::SendReceive
        ? sentInSlices(sender, receiver, lower, replicas)
        : sentByBroadcast(sender, receiver, lower, replicas);
}

} // namespace stratoplan::cost
