// SPDX-License-Identifier: Apache-2.0
// Seconds of communication: the collectives of a pass over the group of their axis, data-parallel synchronisation,
// and transfers between pipeline stages; each with what computation hides of it.
#pragma once

#include "core/cost/machine.h"
#include "core/parallel/placement.h"
#include "core/workload/workload.h"

namespace stratoplan::cost {

/// Seconds of one boundary transfer that each stage sends to the stage after it (the last one to the first) and before
/// it.
struct StageSends {
    explicit StageSends(std::size_t stages)
        : down(stages)
        , up(stages)
        , reshardDown(stages)
        , reshardUp(stages)
    {
    }
    std::vector<Seconds> down, up;
    std::vector<Seconds> reshardDown, reshardUp; ///< what its receiver takes to gather it
};

/// What collectives take at the least, wherever their groups lie on a topology. Few are unlike, and each is asked about
/// by many strategies: the last ones are remembered.
class LeastTimes {
public:
    /// Refers to it.
    explicit LeastTimes(const cluster::Topology& topology);
    /// Of a group of `size` ranks, in a strategy of at least so many.
    [[nodiscard]] Seconds timeOf(const workload::Collective& collective, int size, int leastRanks);

private:
    struct Known {
        workload::CollectiveKind kind = workload::CollectiveKind::AllReduce;
        int size = 0, leastRanks = 0;
        Bytes bytes{};
        double count = 0;
        Seconds least{};
    };
    const cluster::Topology& m_topology;
    std::vector<Known> m_known; ///< by a hash of what they depend on
};

/// A plan on its machine, with the groups of its strategy placed. Refers to both.
struct Deployment {
    Deployment(const plan::Plan& itsPlan, const Machine& itsMachine)
        : Deployment(itsPlan, itsMachine, parallel::GroupSpans(itsPlan.strategy, itsMachine.topology))
    {
    }
    Deployment(const plan::Plan& itsPlan, const Machine& itsMachine, const parallel::GroupSpans& itsGroups)
        : plan(itsPlan)
        , machine(itsMachine)
        , groups(itsGroups)
    {
    }
    const plan::Plan& plan;
    const Machine& machine;
    parallel::GroupSpans groups;
    LeastTimes* anywhere =
        nullptr; ///< not null: no group is placed, and seconds() are bounds for all placements of `leastRanks` or more
    int leastRanks = 0;
    const StageSends* sends =
        nullptr; ///< of stages that are unlike (resharding.h); else every boundary is that of the strategy
};

/// One collective, as if nothing else ran. Where no group is placed: at most what it takes wherever its group lies.
[[nodiscard]] Seconds seconds(const workload::Collective& collective, const Deployment& deployment);

/// The same over a group in its place.
[[nodiscard]] Seconds seconds(
    const workload::Collective& collective, const cluster::Span& group, const cluster::Topology& topology);

/// Communication of one axis: what the step waits for, and what runs behind computation.
struct Overlap {
    Seconds exposed{};
    Seconds hidden{};
    Overlap& operator+=(const Overlap& other)
    {
        exposed += other.exposed;
        hidden += other.hidden;
        return *this;
    }
    bool operator==(const Overlap&) const = default;
};

/// A collective of context parallelism over so many ranks that takes `time` alone, beside the attention of its pass.
[[nodiscard]] Overlap contextOverlap(
    const workload::Collective& collective, Seconds time, Seconds attention, int ranks);

/// Computation that communication can hide behind. What hides behind it is taken off: nothing else can use it again.
struct Windows {
    Seconds forward{};
    Seconds backward{};
};

/// Of a stage's passes of one micro-batch as many as hide traffic of its replicas, or of gradients to the host, at the
/// most: what a pass takes longer may hide so often.
[[nodiscard]] double mostHiddenPasses(
    const parallel::Strategy& strategy, const plan::SoftwareProfile& software, int microBatches);

/// The gradients of `parameters` per rank that are summed over the ranks that hold the same ones; 0 if no other does.
[[nodiscard]] Bytes summedGradients(const Deployment& deployment, double parameters, bool experts);
/// A pass of one micro-batch, without what has hidden behind it: behind any chunk, and behind the last one.
struct PassesLeft {
    Seconds all{}, last{};
};
struct ReplicaWindows {
    /// Nothing has hidden behind the passes yet.
    explicit ReplicaWindows(const Windows& passes)
        : forward{passes.forward, passes.forward}
        , backward{passes.backward, passes.backward}
    {
    }
    PassesLeft forward, backward;
};
/// Of so many parameters a replica has, `tables` of embeddings and output projection among them.
[[nodiscard]] Bytes gatheredParameters(const plan::Training& training, double parameters, double tables);
/// Gradient reduction and parameter gather of `parameters` per rank at the end of a step (ZeRO 0–2), over the replicas
/// of dense (experts = false) or expert parameters.
struct ReplicaTraffic {
    Overlap reduction, gather;
    [[nodiscard]] Overlap total() const
    {
        return {reduction.exposed + gather.exposed, reduction.hidden + gather.hidden};
    }
};
[[nodiscard]] ReplicaTraffic replicaTraffic(const Deployment& deployment, double parameters, bool experts,
    ReplicaWindows& windows, int microBatches, double tables = 0);

/// FSDP (ZeRO-3) traffic of one unit of `parameters` per rank in one micro-batch: all-gather before each pass,
/// reduce-scatter after the backward pass, prefetched behind `windows`. The tables of embeddings and output projection
/// are still gathered when their backward pass begins.
struct ShardTraffic {
    Overlap forward, backward;
};
[[nodiscard]] ShardTraffic shardTraffic(
    const Deployment& deployment, double parameters, bool experts, Windows& windows, bool tables = false);

/// The level of the topology over which the next pipeline stage after `from` lies: 0 in the same scale-up domain, 1 in
/// another one, 2 in another unit of level 1, and so on.
[[nodiscard]] int boundaryLevel(const Deployment& deployment, int from);
/// What each rank sends of a boundary tensor: all of it, or its slice where tensor-parallel ranks share it out.
[[nodiscard]] Bytes boundaryBytes(const plan::Plan& plan, Bytes boundary);
/// Transfer of one boundary tensor from pipeline stage `from` to the next one. `apart`: they run on unlike nodes, which
/// the network joins.
[[nodiscard]] Seconds boundarySeconds(const Deployment& deployment, Bytes boundary, int from, bool apart = false);
/// The transfer that a stage sends down to the next one (the last one to the first), or up to the one before it.
[[nodiscard]] Seconds sendSeconds(const Deployment& deployment, Bytes boundary, int stage, bool down);
/// What its receiver takes to gather it where stages are unlike.
[[nodiscard]] Seconds reshardSeconds(const Deployment& deployment, int stage, bool down);
/// Seconds of `bytes` over the boundary between `from` and the next stage, alone on the way but for the other ranks of
/// the stage; of those, one in `fewer` sends.
[[nodiscard]] Seconds linkSeconds(
    const Deployment& deployment, Bytes bytes, int from, int fewer = 1, bool apart = false);

/// Ranks that ZeRO spreads the states of the same parameters over: d c, or d c / e for experts, or fewer (HSDP).
[[nodiscard]] int shardRanks(const parallel::Strategy& strategy, bool experts);

/// Sum of the gradients of a stage and of its mirror image, which hold the same layers in a two-way schedule: each
/// sends the other what its own replicas have reduced, both ways at once (all-reduce of two ranks).
[[nodiscard]] Seconds mirrorSync(const Deployment& deployment, double parameters, double expertParameters);

} // namespace stratoplan::cost
