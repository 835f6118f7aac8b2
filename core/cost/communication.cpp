// SPDX-License-Identifier: Apache-2.0
#include "core/cost/communication.h"

#include "core/cluster/collectives.h"
#include "core/units/hash.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace stratoplan::cost {
namespace {

parallel::RankGroup groupOf(parallel::Axis axis)
{
    switch (axis) {
    case parallel::Axis::Cp:
        return parallel::RankGroup::Context;
    case parallel::Axis::Ep:
        return parallel::RankGroup::Expert;
    case parallel::Axis::Dp:
        return parallel::RankGroup::Data;
    case parallel::Axis::Pp:
        return parallel::RankGroup::Pipeline;
    default:
        return parallel::RankGroup::Tensor;
    }
}

/// Communication that hides slows the computation it hides behind.
Overlap contended(Seconds time, Seconds hidden, const plan::SoftwareProfile& software)
{
    return {time - hidden + hidden * software.overlapContention, hidden * (1 - software.overlapContention)};
}

/// Ranks that share out the states, and those that hold the same share.
struct ShardSpans {
    const cluster::Span& shards;
    const cluster::Span& copies;
};

ShardSpans shardSpans(const parallel::GroupSpans& groups, bool experts)
{
    return {groups[experts ? parallel::RankGroup::ExpertShards : parallel::RankGroup::Shards],
        groups[experts ? parallel::RankGroup::ExpertShardCopies : parallel::RankGroup::ShardCopies]};
}

/// Gradients go to the rank that holds their share, and are summed over its copies.
Seconds reduceToShards(const Machine& machine, const ShardSpans& spans, Bytes gradients)
{
    return reduceScatter(machine.topology, spans.shards, gradients)
        + allReduce(machine.topology, spans.copies, gradients / double(spans.shards.size));
}

/// Passes of one micro-batch that hide traffic of the replicas. Gradients of a chunk are reduced when its last
/// micro-batch is through, and a round of the stages before those of the next one (Megatron-Core, schedules.py,
/// grad_sync_func of each model chunk; param_sync_func likewise).
struct HidingPasses {
    double last = 0; ///< of all that hides behind the last chunk alone, which is 1 / chunks of the traffic
    double all = 0;
    double chunks = 1;
};

HidingPasses hidingPasses(
    const parallel::Strategy& s, const plan::SoftwareProfile& software, int microBatches, bool byChunk)
{
    const bool rounds = s.schedule == parallel::Schedule::Interleaved || s.schedule == parallel::Schedule::BreadthFirst;
    const double chunks = s.pp > 1 && rounds && byChunk ? s.vpp : 1;
    const double last = software.dpOverlap / chunks;
    return {last, last + (chunks - 1) / chunks * std::min(s.pp, microBatches), chunks};
}

/// Reductions that the pipeline itself times by chunk are not spread once more.
HidingPasses passesOfReduction(const parallel::Strategy& s, const plan::SoftwareProfile& software, int microBatches)
{
    return hidingPasses(
        s, software, microBatches, !s.timingPass && software.gradientSync == parallel::SyncTime::AfterPasses);
}

/// Whatever the pipeline times, it gathers parameters chunk by chunk.
HidingPasses passesOfGather(const parallel::Strategy& s, const plan::SoftwareProfile& software, int microBatches)
{
    return hidingPasses(s, software, microBatches, true);
}

/// A floor stays exposed whatever there is to hide behind: of v chunks the last one's 1/v behind its own passes, or all
/// of them behind the other rounds.
Overlap behindPasses(Seconds time, PassesLeft& left, const HidingPasses& passes, const plan::SoftwareProfile& software)
{
    const Seconds most = time * (1 - software.dpExposedFloor);
    const Seconds all = left.all * passes.all, last = left.last * passes.last;
    const Seconds earlier = time * (1 - 1 / passes.chunks);
    const Seconds hidden = std::min({all, last + earlier, most});
    const Seconds behindLast = std::max(Seconds{}, hidden - std::min(earlier, all - last));
    left.all = std::max(Seconds{}, left.all - hidden / passes.all);
    left.last = std::max(Seconds{}, left.last - behindLast / passes.last);
    return contended(time, hidden, software);
}

/// Tensor-parallel ranks send a slice of the boundary tensor each.
bool sendsSlices(const plan::Plan& plan)
{
    return plan.strategy.tp > 1 && (plan.strategy.sequenceParallel || plan.training.software.scatterGather);
}

/// Of each unit from a level on two extremes bound all places of a group: one that stays in a unit does not see what
/// joins it to others, and one that leaves it has that at best to itself; the second is only better where the higher
/// level has the lower latency.
Seconds leastAbove(
    const workload::Collective& c, cluster::Span span, const cluster::Topology& topology, std::size_t level)
{
    Seconds least = seconds(c, span, topology);
    for (; level < topology.levels.size(); ++level) {
        span.outer[level - 2].ranks = 1;
        if (topology.levels[level].latency < topology.levels[level - 1].latency)
            least = std::min(least, seconds(c, span, topology));
    }
    return least;
}

/// The least over every place that a group of `size` can have. How many of its ranks share a domain says how many like
/// groups share the domain's ports, the fewer the fewer ranks there are. Of nodes that join their domains, the number
/// of its ranks in a node counts too: what leaves the node does so past those links.
Seconds leastSeconds(const workload::Collective& c, int size, int leastRanks, const cluster::Topology& topology)
{
    if (size <= 1 || topology.levels.empty())
        return {};
    const int domain = topology.levels[0].size;
    const auto inDomain = [&](int inside) {
        return cluster::Span{size, inside, std::max(1, std::min(domain, leastRanks) / inside)};
    };
    Seconds least(INFINITY);
    if (topology.levels.size() <= 2 || !topology.levels[1].isBypassed) {
        for (int inside = std::min(size, domain); inside >= 1; --inside)
            least = std::min(least, leastAbove(c, inDomain(inside), topology, 2));
        return least;
    }
    const std::vector<int> inUnit = parallel::possibleRanksInside(size, std::min(size, topology.levels[1].size));
    for (const int inside : inUnit) {
        if (inside > domain)
            break;
        cluster::Span span = inDomain(inside);
        if (size <= topology.levels[1].size)
            least = std::min(least, seconds(c, span, topology));
        for (const int inNode : inUnit) {
            if (inNode < inside || inNode == size)
                continue;
            span.outer[0].ranks = inNode;
            least = std::min(least, leastAbove(c, span, topology, 3));
        }
    }
    return least;
}

/// Whether blocks that visit all ranks are passed on over one link at a time: rings along several axes of a torus each
/// have a part of every block.
bool goesRound(const cluster::Topology& topology, const cluster::Span& group)
{
    return group.inside == 1 || (!topology.levels.empty() && topology.levels[0].torus);
}

constexpr int kKnownBits = 10; // of the number of times that are remembered

std::size_t placeOf(const workload::Collective& c, int size)
{
    const auto bits = std::bit_cast<std::uint64_t>(c.bytes.value()) ^ std::uint64_t(size) << 8 ^ std::uint64_t(c.kind);
    return scattered(bits ^ bits >> 32) >> (64 - kKnownBits);
}

} // namespace

Seconds seconds(const workload::Collective& c, const cluster::Span& group, const cluster::Topology& topology)
{
    switch (c.kind) {
    case workload::CollectiveKind::AllReduce:
        return allReduce(topology, group, c.bytes) * c.count;
    case workload::CollectiveKind::AllGather:
        return allGather(topology, group, c.bytes) * c.count;
    case workload::CollectiveKind::ReduceScatter:
        return reduceScatter(topology, group, c.bytes) * c.count;
    case workload::CollectiveKind::AllToAll:
        return allToAll(topology, group, c.bytes) * c.count;
    case workload::CollectiveKind::Broadcast:
        return broadcast(topology, group, c.bytes) * c.count;
    case workload::CollectiveKind::RingExchange:
        // c - 1 hops, each of one rank's block: an all-gather of c blocks, which goes round whatever their size.
        return allGather(topology, group, c.bytes * double(group.size),
                   goesRound(topology, group) ? cluster::CollectiveAlgorithm::Ring
                                              : cluster::CollectiveAlgorithm::Fastest)
            * c.count;
    }
    return {};
}

/// The ring's next block travels while attention works on the current one; the first block is at home.
Overlap contextOverlap(const workload::Collective& c, Seconds time, Seconds attention, int ranks)
{
    if (c.kind != workload::CollectiveKind::RingExchange)
        return {time, {}};
    const double steps = ranks;
    const Seconds hidden = std::min(time, attention * ((steps - 1) / steps));
    return {time - hidden, hidden};
}

LeastTimes::LeastTimes(const cluster::Topology& topology)
    : m_topology(topology)
    , m_known(std::size_t(1) << kKnownBits)
{
}

Seconds LeastTimes::timeOf(const workload::Collective& c, int size, int leastRanks)
{
    Known& known = m_known[placeOf(c, size)];
    if (known.size != size || known.kind != c.kind || known.bytes != c.bytes || known.count != c.count
        || known.leastRanks != leastRanks)
        known = {c.kind, size, leastRanks, c.bytes, c.count, leastSeconds(c, size, leastRanks, m_topology)};
    return known.least;
}

int shardRanks(const parallel::Strategy& strategy, bool experts)
{
    return groupSize(strategy, experts ? parallel::RankGroup::ExpertShards : parallel::RankGroup::Shards);
}

Seconds seconds(const workload::Collective& c, const Deployment& deployment)
{
    const parallel::RankGroup group = groupOf(c.axis);
    if (deployment.anywhere == nullptr)
        return seconds(c, deployment.groups[group], deployment.machine.topology);
    const parallel::Strategy& s = deployment.plan.strategy;
    const int size = groupSize(s, group);
    const Seconds least = deployment.anywhere->timeOf(c, size, deployment.leastRanks);
    // Where tensor ranks and replicas do not touch, experts are spread over the replicas alone
    // (core/parallel/placement.cpp).
    const int replicas = s.dp * s.cp;
    if (group != parallel::RankGroup::Expert || s.etp >= s.tp || size <= replicas)
        return least;
    return std::min(least, deployment.anywhere->timeOf(c, replicas, deployment.leastRanks));
}

namespace {

/// Ranks that hold the same parameters: DP and CP for dense ones, what EP leaves of them for experts.
const cluster::Span& holders(const Deployment& deployment, bool experts)
{
    return deployment.groups[experts ? parallel::RankGroup::ExpertData : parallel::RankGroup::DataContext];
}

/// Into how many collectives the replicas' traffic of `parameters` is divided by their number: each has latencies of
/// its own. So Megatron-Core does (distributed_data_parallel.py): where nothing overlaps, and behind the first stage of
/// a pipeline, it has one; those of the first stage are left out.
double bucketsOfParameters(const plan::Plan& plan, double parameters)
{
    const plan::SoftwareProfile& software = plan.training.software;
    if (software.bucketParameters <= 0 || software.dpOverlap <= 0 || plan.strategy.pp > 1)
        return 1;
    const double bucket = std::max(software.bucketParameters, software.bucketParametersPerReplica * plan.strategy.dp);
    return std::max(1.0, parameters / bucket);
}

/// The same of their gradients, by bytes where the stack says so.
double bucketsOfGradients(const plan::Plan& plan, double parameters, Bytes gradients)
{
    const Bytes bucket = plan.training.software.gradientBucket;
    return bucket.value() > 0 ? std::max(1.0, gradients / bucket) : bucketsOfParameters(plan, parameters);
}

/// Of all gradients once, by ZeRO 0 to 2, in `parts`.
Seconds reductionSeconds(const Deployment& deployment, Bytes gradients, bool experts, double parts)
{
    const plan::SoftwareProfile& software = deployment.plan.training.software;
    const Bytes part = gradients / parts;
    return parts
        * (effectiveZeroStage(deployment.plan) == 0 || software.reducesWhole
                ? allReduce(deployment.machine.topology, holders(deployment, experts), part)
                : reduceToShards(deployment.machine, shardSpans(deployment.groups, experts), part));
}

} // namespace

double mostHiddenPasses(const parallel::Strategy& strategy, const plan::SoftwareProfile& software, int microBatches)
{
    const int zeroStage = effectiveZeroStage(strategy, software);
    const double toHost = streamsGradients(strategy, software) ? microBatches : 0;
    if (zeroStage == 3)
        return toHost + (software.fsdpHidden > 0 ? microBatches : 0);
    if (software.dpOverlap <= 0)
        return toHost;
    const double reduction =
        zeroStage == 2 ? microBatches * software.dpOverlap : passesOfReduction(strategy, software, microBatches).all;
    return toHost
        + (zeroStage == 0 ? reduction : std::max(reduction, passesOfGather(strategy, software, microBatches).all));
}

Bytes summedGradients(const Deployment& deployment, double parameters, bool experts)
{
    return holders(deployment, experts).size > 1 ? Bytes(parameters * reductionBytes(deployment.plan.training))
                                                 : Bytes{};
}

Bytes gatheredParameters(const plan::Training& training, double parameters, double tables)
{
    const double ofLayers = gatherBytes(training, plan::Updated::Layers);
    return Bytes(parameters * ofLayers + tables * (gatherBytes(training, plan::Updated::Tables) - ofLayers));
}

ReplicaTraffic replicaTraffic(const Deployment& deployment, double parameters, bool experts, ReplicaWindows& windows,
    int microBatches, double tables)
{
    const plan::Plan& plan = deployment.plan;
    const Machine& machine = deployment.machine;
    const cluster::Span& group = holders(deployment, experts);
    if (group.size <= 1)
        return {};
    const plan::SoftwareProfile& software = plan.training.software;
    const Bytes gradients = summedGradients(deployment, parameters, experts);
    const HidingPasses once = passesOfReduction(plan.strategy, software, microBatches);
    const auto overlap = [&](Seconds time, PassesLeft& left, const HidingPasses& passes) -> Overlap {
        if (software.dpOverlap <= 0)
            return {time, {}};
        return behindPasses(time, left, passes, software);
    };
    const Seconds reduction =
        reductionSeconds(deployment, gradients, experts, bucketsOfGradients(plan, parameters, gradients));
    if (effectiveZeroStage(plan) == 0)
        return {overlap(reduction, windows.backward, once), {}};
    // ZeRO-2 holds only its own shard of the gradients, so it reduces them after every micro-batch.
    const bool each = effectiveZeroStage(plan) == 2;
    const double reductions = each ? microBatches : 1, passes = software.dpOverlap * reductions;
    const cluster::Span& shards = shardSpans(deployment.groups, experts).shards;
    const Bytes gathered = gatheredParameters(plan.training, parameters, tables);
    const double parts = bucketsOfParameters(plan, parameters);
    return {overlap(reduction * reductions, windows.backward, each ? HidingPasses{passes, passes} : once),
        overlap(allGather(machine.topology, shards, gathered / parts) * parts, windows.forward,
            passesOfGather(plan.strategy, software, microBatches))};
}

ShardTraffic shardTraffic(const Deployment& deployment, double parameters, bool experts, Windows& windows, bool tables)
{
    const plan::Plan& plan = deployment.plan;
    const Machine& machine = deployment.machine;
    const ShardSpans spans = shardSpans(deployment.groups, experts);
    if (spans.shards.size * spans.copies.size <= 1)
        return {};
    const plan::SoftwareProfile& software = plan.training.software;
    const Seconds gather = allGather(
        machine.topology, spans.shards, gatheredParameters(plan.training, parameters, tables ? parameters : 0));
    const Seconds reduce = reduceToShards(machine, spans, Bytes(parameters * reductionBytes(plan.training)));
    const auto overlap = [&](Seconds time, Seconds& window) -> Overlap {
        const Seconds hidden = std::min(time * software.fsdpHidden, window);
        window -= hidden;
        return contended(time, hidden, software);
    };
    return {overlap(gather, windows.forward), overlap(tables ? reduce : gather + reduce, windows.backward)};
}

int boundaryLevel(const Deployment& deployment, int from)
{
    const cluster::Span& pipeline = deployment.groups[parallel::RankGroup::Pipeline];
    const bool wraps = from + 1 == pipeline.size; // from the last stage to the first: over all that lies between them
    int crossed = 0;
    for (int level = 1; level <= int(cluster::kOuterUnits) + 1; ++level) {
        const int stages = std::max(1, ranksIn(pipeline, std::size_t(level - 1))); // in one unit of the level below
        if (stages < pipeline.size && (wraps || (from + 1) % stages == 0))
            crossed = level;
    }
    return crossed;
}

namespace {

/// The lowest that joins nodes.
int networkLevel(const cluster::Topology& topology)
{
    return topology.levels.size() > 1 && topology.levels[1].isBypassed ? 2 : 1;
}

} // namespace

Bytes boundaryBytes(const plan::Plan& plan, Bytes boundary)
{
    return sendsSlices(plan) ? boundary / plan.strategy.tp : boundary;
}

Seconds boundarySeconds(const Deployment& deployment, Bytes boundary, int from, bool apart)
{
    const cluster::Topology& topology = deployment.machine.topology;
    Seconds time = deployment.plan.training.software.p2pLatency
        + linkSeconds(deployment, boundaryBytes(deployment.plan, boundary), from, 1, apart);
    if (sendsSlices(deployment.plan) && !deployment.plan.strategy.sequenceParallel)
        time += allGather(topology, deployment.groups[parallel::RankGroup::Tensor], boundary);
    return time;
}

Seconds sendSeconds(const Deployment& deployment, Bytes boundary, int stage, bool down)
{
    if (deployment.sends)
        return (down ? deployment.sends->down : deployment.sends->up)[std::size_t(stage)];
    return boundarySeconds(deployment, boundary,
        down             ? stage
            : stage == 0 ? deployment.plan.strategy.pp - 1
                         : stage - 1);
}

Seconds reshardSeconds(const Deployment& deployment, int stage, bool down)
{
    return deployment.sends == nullptr
        ? Seconds{}
        : (down ? deployment.sends->reshardDown : deployment.sends->reshardUp)[std::size_t(stage)];
}

Seconds linkSeconds(const Deployment& deployment, Bytes bytes, int from, int fewer, bool apart)
{
    cluster::Span link = deployment.groups[parallel::RankGroup::Pipeline];
    const int level = std::max(boundaryLevel(deployment, from), apart ? networkLevel(deployment.machine.topology) : 0);
    link.size = 2;
    link.inside = level > 0 ? 1 : 2;
    link.sharingUplink = std::max(1, link.sharingUplink / fewer);
    for (std::size_t i = 0; i < link.outer.size(); ++i) {
        link.outer[i].ranks = level > int(i) + 1 ? 1 : 0;
        link.outer[i].sharing = std::max(1.0F, link.outer[i].sharing / float(fewer));
    }
    return pointToPoint(deployment.machine.topology, link, bytes);
}

Seconds mirrorSync(const Deployment& deployment, double parameters, double expertParameters)
{
    const plan::Plan& plan = deployment.plan;
    const auto share = [&](parallel::RankGroup shards) {
        return effectiveZeroStage(plan) >= 1 ? std::max(1, deployment.groups[shards].size) : 1;
    };
    const double ownParameters =
        parameters / share(parallel::RankGroup::Shards) + expertParameters / share(parallel::RankGroup::ExpertShards);
    cluster::Span link = deployment.groups[parallel::RankGroup::Pipeline];
    // Mirrored stages are as far apart as the ends of the pipeline: in one node only where all of it is.
    link.inside = link.inside >= link.size ? 2 : 1;
    for (cluster::InUnit& in : link.outer)
        in.ranks = in.ranks == 0 || in.ranks >= link.size ? 0 : 1;
    link.size = 2;
    return plan.training.software.p2pLatency
        + pointToPoint(deployment.machine.topology, link, Bytes(ownParameters * reductionBytes(plan.training)));
}

} // namespace stratoplan::cost
