// SPDX-License-Identifier: Apache-2.0
// Which ranks form a group, and where the topology puts them: the bridge from a strategy to collective times.
#pragma once

#include "core/cluster/collectives.h"
#include "core/cluster/node_kinds.h"
#include "core/parallel/strategy.h"

#include <array>
#include <vector>

namespace stratoplan::parallel {

/// Groups in which a training step communicates.
enum class RankGroup {
    Tensor,
    Context,
    Expert, ///< EP inside d c; where experts use less TP than attention, over the tensor ranks too (MoE parallel
            ///< folding)
    Pipeline,
    Data, ///< replicas that see different sequences: d
    DataContext, ///< replicas of a dense parameter, whose gradients are reduced: d c
    ExpertData, ///< replicas of a routed expert: t c d / (expert TP e)
    Shards, ///< of DataContext, those that ZeRO spreads its states over
    ShardCopies, ///< of DataContext, those that hold the same shard
    ExpertShards, ///< the same of ExpertData
    ExpertShardCopies,
};
inline constexpr std::size_t kRankGroups = 11;

/// Ranks of one group.
[[nodiscard]] int groupSize(const Strategy& strategy, RankGroup group);

/// Ranks of one group inside a block of `blockSize` consecutive ranks, which begins at a multiple of `alignment`; 0: of
/// its size. Where groups lie differently (TP 6 on nodes of 8), the one cut into most blocks counts.
[[nodiscard]] int ranksInside(const Strategy& strategy, RankGroup group, int blockSize, int alignment = 0);

/// Whether one of the ranks of a pipeline stage lies among `count` ranks from `first` on.
[[nodiscard]] bool stageHasRanks(const Strategy& strategy, int stage, int first, int count);
/// Kinds of nodes that ranks of a pipeline stage lie on; none beyond the cluster.
[[nodiscard]] cluster::KindSet kindsOfStage(const Strategy& strategy, int stage, const cluster::NodeKinds& kinds);

/// The same of those of its ranks that hold one replica.
[[nodiscard]] cluster::KindSet kindsOfStage(
    const Strategy& strategy, int stage, int replica, const cluster::NodeKinds& kinds);

/// Numbers of ranks, `most` or fewer, that a unit can hold of some group of `size` (ranksInside), least first: runs
/// that are cut into blocks alike, a shorter last one aside.
[[nodiscard]] std::vector<int> possibleRanksInside(int size, int most);

/// The group as collectives see it. All groups of the kind are taken to communicate at the same time.
[[nodiscard]] cluster::Span span(const Strategy& strategy, RankGroup group, const cluster::Topology& topology);

/// The spans of all groups of a strategy, found once for all that is priced over them. A group of one rank has the
/// empty span.
class GroupSpans {
public:
    GroupSpans() = default; ///< of nothing: every group is one rank, and communicates in no time
    GroupSpans(const Strategy& strategy, const cluster::Topology& topology);
    /// The same groups of a strategy that differs in the replicas which share out ZeRO's states alone.
    [[nodiscard]] GroupSpans withShards(const Strategy& strategy, const cluster::Topology& topology) const;
    [[nodiscard]] const cluster::Span& operator[](RankGroup group) const
    {
        return m_spans[static_cast<std::size_t>(group)];
    }

private:
    void place(RankGroup group, const cluster::Span& span) { m_spans[static_cast<std::size_t>(group)] = span; }

    std::array<cluster::Span, kRankGroups> m_spans;
};

} // namespace stratoplan::parallel
