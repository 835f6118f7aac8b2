// SPDX-License-Identifier: Apache-2.0
#include "core/cost/communication.h"

#include "core/cluster/collectives.h"
#include "core/parallel/placement.h"

#include <algorithm>

namespace stratoplan {
namespace {

RankGroup groupOf(Axis axis)
{
    switch (axis) {
    case Axis::Cp:
        return RankGroup::Context;
    case Axis::Ep:
        return RankGroup::Expert;
    case Axis::Dp:
        return RankGroup::Data;
    case Axis::Pp:
        return RankGroup::Pipeline;
    default:
        return RankGroup::Tensor;
    }
}

double gradientBytes(const Plan& plan, const Machine& machine)
{
    return plan.training.fp32Gradients ? 4 : machine.elementBytes;
}

/// Communication that hides slows the computation it hides behind.
Overlap contended(Seconds time, Seconds hidden, const SoftwareProfile& software)
{
    return {time - hidden + hidden * software.overlapContention, hidden * (1 - software.overlapContention)};
}

/// Ranks that hold the same parameters: DP and CP for dense ones, what EP leaves of them for experts.
Span replicaSpan(const Plan& plan, const Machine& machine, bool experts)
{
    return span(plan.strategy, experts ? RankGroup::ExpertData : RankGroup::DataContext, machine.topology);
}

/// Ranks that share out the states, and those that hold the same share.
struct ShardSpans {
    Span shards, copies;
};

ShardSpans shardSpans(const Plan& plan, const Machine& machine, bool experts)
{
    return {span(plan.strategy, experts ? RankGroup::ExpertShards : RankGroup::Shards, machine.topology),
            span(plan.strategy, experts ? RankGroup::ExpertShardCopies : RankGroup::ShardCopies, machine.topology)};
}

/// Gradients go to the rank that holds their share, and are summed over its copies.
Seconds reduceToShards(const Machine& machine, const ShardSpans& spans, Bytes gradients)
{
    return reduceScatter(machine.topology, spans.shards, gradients) + allReduce(machine.topology, spans.copies, gradients / double(spans.shards.size));
}

} // namespace

int shardRanks(const Strategy& strategy, bool experts)
{
    return groupSize(strategy, experts ? RankGroup::ExpertShards : RankGroup::Shards);
}

Seconds seconds(const Collective& c, const Plan& plan, const Machine& machine)
{
    const Span group = span(plan.strategy, groupOf(c.axis), machine.topology);
    const Topology& topology = machine.topology;
    switch (c.kind) {
    case CollectiveKind::AllReduce:
        return allReduce(topology, group, c.bytes) * c.count;
    case CollectiveKind::AllGather:
        return allGather(topology, group, c.bytes) * c.count;
    case CollectiveKind::ReduceScatter:
        return reduceScatter(topology, group, c.bytes) * c.count;
    case CollectiveKind::AllToAll:
        return allToAll(topology, group, c.bytes) * c.count;
    case CollectiveKind::RingExchange:
        // c - 1 hops, each of one rank's block: an all-gather of c blocks.
        return allGather(topology, group, c.bytes * double(group.size)) * c.count;
    }
    return {};
}

Overlap gradientSync(const Plan& plan, const Machine& machine, double parameters, bool experts, Windows& windows, int microBatches)
{
    const Span group = replicaSpan(plan, machine, experts);
    if (group.size <= 1)
        return {};
    const SoftwareProfile& software = plan.training.software;
    const Bytes gradients(parameters * gradientBytes(plan, machine));
    // A share of `passes` passes hides communication; a floor of it stays exposed whatever the window.
    const auto overlap = [&](Seconds time, Seconds& window, double passes) -> Overlap {
        if (software.dpOverlap <= 0)
            return {time, {}};
        const double usable = software.dpOverlap * passes;
        const Seconds hidden = std::min(window * usable, time * (1 - software.dpExposedFloor));
        window -= hidden * (1 / usable);
        return contended(time, hidden, software);
    };
    if (plan.strategy.zeroStage == 0)
        return overlap(allReduce(machine.topology, group, gradients), windows.backward, 1);
    // ZeRO-2 holds only its own shard of the gradients, so it reduces them after every micro-batch.
    const double reductions = plan.strategy.zeroStage == 2 ? microBatches : 1;
    const ShardSpans spans = shardSpans(plan, machine, experts);
    Overlap result = overlap(reduceToShards(machine, spans, gradients) * reductions, windows.backward, reductions);
    result += overlap(allGather(machine.topology, spans.shards, Bytes(parameters * machine.elementBytes)), windows.forward, 1);
    return result;
}

ShardTraffic shardTraffic(const Plan& plan, const Machine& machine, double parameters, bool experts, Windows& windows, bool staysGathered)
{
    const ShardSpans spans = shardSpans(plan, machine, experts);
    if (spans.shards.size * spans.copies.size <= 1)
        return {};
    const SoftwareProfile& software = plan.training.software;
    const Seconds gather = allGather(machine.topology, spans.shards, Bytes(parameters * machine.elementBytes));
    const Seconds reduce = reduceToShards(machine, spans, Bytes(parameters * gradientBytes(plan, machine)));
    const auto overlap = [&](Seconds time, Seconds& window) -> Overlap {
        const Seconds hidden = std::min(time * software.fsdpHidden, window);
        window -= hidden;
        return contended(time, hidden, software);
    };
    return {overlap(gather, windows.forward), overlap(staysGathered ? reduce : gather + reduce, windows.backward)};
}

Seconds boundarySeconds(const Plan& plan, const Machine& machine, Bytes boundary, int from)
{
    const Strategy& s = plan.strategy;
    const SoftwareProfile& software = plan.training.software;
    const bool sliced = s.tp > 1 && (s.sequenceParallel || software.scatterGather);
    const Bytes sent = sliced ? boundary / s.tp : boundary;
    Span link = span(s, RankGroup::Pipeline, machine.topology);
    const bool crosses = (from + 1) % std::max(1, link.inside) == 0;
    link.size = 2;
    link.inside = crosses ? 1 : 2;
    Seconds time = software.p2pLatency + pointToPoint(machine.topology, link, sent);
    if (sliced && !s.sequenceParallel)
        time += allGather(machine.topology, span(s, RankGroup::Tensor, machine.topology), boundary);
    return time;
}

} // namespace stratoplan
