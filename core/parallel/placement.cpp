// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/placement.h"

#include "core/parallel/group_runs.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace stratoplan::parallel {

namespace {

/// Consecutive ranks, some of them in units of other sizes where these do not begin at multiples of their own.
struct Blocks {
    int size = 1;
    int alignment = std::numeric_limits<int>::max(); ///< they begin at multiples of so many, or of their size
    int count = std::numeric_limits<int>::max(); ///< no more than these

    [[nodiscard]] bool areUneven() const { return alignment < size; }
};

/// Most blocks that a run touches, over all its places in the rank order.
int blocksTouched(Run run, const Blocks& blocks, int ranks)
{
    const int block = blocks.size;
    if (run.size == 1)
        return 1;
    if (run.stride >= block)
        return run.size;
    const int extent = run.stride * run.size;
    if (blocks.areUneven()) { // the last place in a block that a run can begin at
        const int last = block - std::gcd(blocks.alignment, extent);
        const int start = std::min(last + run.stride - 1, block - 1);
        return std::min(blocks.count, (start + (run.size - 1) * run.stride) / block + 1);
    }
    if (block % extent == 0)
        return 1;
    const int distinct = std::min(block / std::gcd(extent, block), std::max(1, ranks / extent));
    int most = 1;
    for (int i = 0; i < distinct; ++i) {
        const int base = static_cast<int>(static_cast<long long>(i) * extent % block);
        const int start = std::min(base + run.stride - 1, block - 1);
        most = std::max(most, (start + (run.size - 1) * run.stride) / block + 1);
    }
    return most;
}

int insideOf(Run run, const Blocks& blocks, int ranks)
{
    const int touched = blocksTouched(run, blocks, ranks);
    return (run.size + touched - 1) / touched;
}

/// What of a group lies in one of the blocks.
Runs partInside(const Runs& runs, const Blocks& blocks, int ranks)
{
    const int inner = insideOf(runs.inner, blocks, ranks);
    const int outer = inner < runs.inner.size ? 1 : insideOf(runs.outer, blocks, ranks);
    return {{inner, runs.inner.stride}, {outer, runs.outer.stride}};
}

int insideOf(const Runs& runs, const Blocks& blocks, int ranks)
{
    return sizeOf(partInside(runs, blocks, ranks));
}

/// Groups with ranks on both sides of one of the ends of a block, which groups of a whole extent begin or end at or
/// not; no more than there are.
double acrossItsEnds(const Runs& runs, const Blocks& blocks, int ranks)
{
    const Run& last = runs.outer.size > 1 ? runs.outer : runs.inner;
    const long long extent = 1LL * last.stride * last.size;
    const double across = double(extent / sizeOf(runs)) * (!blocks.areUneven() && extent % blocks.size == 0 ? 1 : 2);
    return std::min(across, double(ranks) / sizeOf(runs));
}

Blocks blocksOf(const cluster::TopologyLevel& level, int ranks, const cluster::Topology& topology)
{
    const int size = std::max(1, std::min(level.size, ranks));
    const int count = topology.accelerators / size;
    if (level.alignment > 0)
        return Blocks{size, level.alignment, std::max(2, count)};
    return Blocks{.size = size, .count = std::max(1, count)};
}

/// Ranks of a group in one unit of each level from 1 on.
void placeInUnits(cluster::Span& span, const Runs& runs, int ranks, const cluster::Topology& topology)
{
    // What leaves a unit leaves those that are smaller, too, though these do not lie in it alone: leaves of three nodes
    // beside those of four.
    int inLarger = span.size;
    for (std::size_t level = std::min(topology.levels.size() - 1, cluster::kOuterUnits + 1); level-- > 1;)
        span.outer[level - 1].ranks = inLarger =
            std::min(inLarger, insideOf(runs, blocksOf(topology.levels[level], ranks, topology), ranks));
    for (std::size_t level = 1; level + 1 < topology.levels.size() && level <= cluster::kOuterUnits; ++level) {
        cluster::InUnit& in = span.outer[level - 1];
        in.ranks = std::max(ranksIn(span, level - 1), in.ranks);
    }
}

/// The torus that the ranks of a domain lie on: all of it, or a slice of as many as there are, whatever nodes are idle.
const cluster::Torus& torusOfRanks(const cluster::TopologyLevel& domain, int ranks)
{
    struct Sliced {
        cluster::Torus whole, part;
        int ranks = 0;
    };
    thread_local Sliced known; // groups of one strategy, and strategies of as many ranks, ask one after the other
    const cluster::Torus& whole = *domain.torus;
    const int here = std::min(ranks, domain.size);
    if (here >= sizeOf(whole))
        return whole;
    if (known.ranks != here || known.whole != whole)
        known = {whole, slice(whole, here), here};
    return known.part;
}

cluster::Span spanOf(const Runs& runs, int ranks, const cluster::Topology& topology)
{
    const auto sharing = [&](int block, int inside) {
        return std::max(1, std::min(block, ranks) / std::max(1, inside));
    };
    cluster::Span result;
    result.size = sizeOf(runs);
    if (topology.levels.empty())
        return result;
    const int domain = topology.levels[0].size;
    const Runs inside = partInside(runs, blocksOf(topology.levels[0], ranks, topology), ranks);
    result.inside = sizeOf(inside);
    if (topology.levels[0].torus)
        result.box = boxOf(torusOfRanks(topology.levels[0], ranks), inside.inner, inside.outer);
    result.sharingUplink = sharing(domain, result.inside);
    placeInUnits(result, runs, ranks, topology);
    for (std::size_t level = 1; level + 1 < topology.levels.size() && level <= cluster::kOuterUnits; ++level) {
        const int unit = topology.levels[level].size;
        cluster::InUnit& in = result.outer[level - 1];
        // As many groups as leave its domains at most, whose ranks are rounded: a unit that holds nothing up costs
        // nothing.
        const double touched = double(std::min(unit, ranks)) / std::max(1, in.ranks);
        const double ofDomains = double(result.sharingUplink) * unit / std::max(1, domain);
        const double across = acrossItsEnds(runs, blocksOf(topology.levels[level], ranks, topology), ranks);
        in.sharing = float(std::max(1.0, std::min({touched, ofDomains, across})));
    }
    return result;
}

} // namespace

int groupSize(const Strategy& s, RankGroup group)
{
    const int replicas = std::max(1, s.dp) * std::max(1, s.cp);
    // The experts' pool, in expert TP groups: it does not depend on where the ranks lie.
    const int pool = s.etp < s.tp ? replicas * s.tp / std::max(1, s.etp) : replicas;
    const int ep = std::clamp(s.ep, 1, pool);
    const auto shards = [&](int all) { return s.zeroShards > 0 ? std::min(s.zeroShards, all) : all; };
    switch (group) {
    case RankGroup::Tensor:
        return std::max(1, s.tp);
    case RankGroup::Context:
        return std::max(1, s.cp);
    case RankGroup::Pipeline:
        return std::max(1, s.pp);
    case RankGroup::Data:
        return std::max(1, s.dp);
    case RankGroup::DataContext:
        return replicas;
    case RankGroup::Expert:
        return ep;
    case RankGroup::ExpertData:
        return pool / ep;
    case RankGroup::Shards:
        return shards(replicas);
    case RankGroup::ShardCopies:
        return replicas / shards(replicas);
    case RankGroup::ExpertShards:
        return shards(pool / ep);
    case RankGroup::ExpertShardCopies:
        return pool / ep / shards(pool / ep);
    }
    return 1;
}

int ranksInside(const Strategy& strategy, RankGroup group, int blockSize, int alignment)
{
    Blocks blocks{.size = std::max(1, blockSize)};
    if (alignment > 0)
        blocks.alignment = alignment;
    return insideOf(runsOf(strategy, group), blocks, rankCount(strategy));
}

bool stageHasRanks(const Strategy& s, int stage, int first, int count)
{
    // A stage has `stride` ranks of each `period`.
    const Run stages = axisRun(s, Axis::Pp);
    const std::int64_t stride = stages.stride, period = stride * stages.size, from = stride * stage;
    const std::int64_t end = std::min<std::int64_t>(std::int64_t{first} + count, std::max(1, rankCount(s)));
    const std::int64_t before =
        first >= from + stride ? (first - from - stride) / period + 1 : 0; // runs that end there
    return count > 0 && before * period + from < end;
}

cluster::KindSet kindsOfStage(const Strategy& strategy, int stage, const cluster::NodeKinds& kinds)
{
    cluster::KindSet found;
    for (const cluster::KindRun& run : kinds.runs())
        if (stageHasRanks(strategy, stage, run.first, run.count))
            found.push_back(run.kind);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

cluster::KindSet kindsOfStage(const Strategy& s, int stage, int replica, const cluster::NodeKinds& kinds)
{
    const Run tensor = axisRun(s, Axis::Tp), context = axisRun(s, Axis::Cp);
    const Runs ranks = tensor.stride < context.stride ? joined(tensor, context) : joined(context, tensor);
    const std::int64_t start =
        std::int64_t{axisRun(s, Axis::Pp).stride} * stage + std::int64_t{axisRun(s, Axis::Dp).stride} * replica;
    const std::vector<cluster::KindRun>& runs = kinds.runs();
    cluster::KindSet found;
    for (int outer = 0; outer < ranks.outer.size; ++outer) {
        const std::int64_t first = start + std::int64_t{ranks.outer.stride} * outer, stride = ranks.inner.stride;
        const std::int64_t last = first + stride * (ranks.inner.size - 1);
        auto run = std::ranges::upper_bound(runs, first, {}, &cluster::KindRun::first);
        for (run -= run == runs.begin() ? 0 : 1; run != runs.end() && run->first <= last; ++run) {
            const std::int64_t before = first >= run->first ? 0 : (run->first - first + stride - 1) / stride;
            if (before < ranks.inner.size && first + before * stride < std::int64_t{run->first} + run->count)
                found.push_back(run->kind);
        }
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

std::vector<int> possibleRanksInside(int size, int most)
{
    std::vector<int> found;
    // A run of `ranks` that is cut into 1, 2, 3… blocks, or one of as many whole runs of `each`.
    const auto take = [&](int ranks, int each) {
        for (int part = ranks; part >= 1; part = part > 1 ? (ranks - 1) / ((ranks - 1) / (part - 1) + 1) + 1 : 0)
            if (part * each <= most)
                found.push_back(part * each);
    };
    for (long long divisor = 1; divisor * divisor <= size; ++divisor)
        if (size % divisor == 0)
            for (const int inner : {int(divisor), int(size / divisor)}) {
                take(inner, 1);
                take(size / inner, inner);
            }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

cluster::Span span(const Strategy& strategy, RankGroup group, const cluster::Topology& topology)
{
    return spanOf(runsOf(strategy, group), std::max(1, rankCount(strategy)), topology);
}

GroupSpans::GroupSpans(const Strategy& strategy, const cluster::Topology& topology)
{
    const int ranks = std::max(1, rankCount(strategy));
    for (const RankGroup group : {RankGroup::Tensor, RankGroup::Context, RankGroup::Expert, RankGroup::Pipeline,
             RankGroup::Data, RankGroup::DataContext, RankGroup::ExpertData})
        if (const Runs runs = runsOf(strategy, group); sizeOf(runs) > 1)
            place(group, spanOf(runs, ranks, topology));
    *this = withShards(strategy, topology);
}

GroupSpans GroupSpans::withShards(const Strategy& strategy, const cluster::Topology& topology) const
{
    GroupSpans result = *this;
    const int ranks = std::max(1, rankCount(strategy));
    const auto placed = [&](const Runs& runs) {
        return sizeOf(runs) > 1 ? spanOf(runs, ranks, topology) : cluster::Span{};
    };
    for (const bool experts : {false, true}) {
        const RankGroup replicas = experts ? RankGroup::ExpertData : RankGroup::DataContext;
        const RankGroup shards = experts ? RankGroup::ExpertShards : RankGroup::Shards;
        const RankGroup copies = experts ? RankGroup::ExpertShardCopies : RankGroup::ShardCopies;
        if (strategy.zeroShards <= 0) { // all replicas share out the states
            result.place(shards, (*this)[replicas]);
            result.place(copies, {});
            continue;
        }
        const Runs runs = runsOf(strategy, replicas);
        result.place(shards, placed(shardRuns(strategy, runs, true)));
        result.place(copies, placed(shardRuns(strategy, runs, false)));
    }
    return result;
}

} // namespace stratoplan::parallel
