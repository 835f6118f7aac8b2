// SPDX-License-Identifier: Apache-2.0
// A search space laid out as a tree over one plan: divisions of the ranks, below each the ways to run a micro-batch,
// pipelines, places of the groups, and ways to shard. What is open on one floor depends only on the floors above, never
// on a sibling, so that the leaves below a node are counted without visiting them. Every floor is in a fixed order.
#pragma once

#include "core/plan/search_space.h"
#include "core/space/rank_orders.h"
#include "core/space/schedules.h"
#include "core/space/space_framework.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <vector>

namespace stratoplan::space {

/// A schedule, its chunks per stage, and whether the timing pass has gone over it.
struct PipelinePick {
    parallel::Schedule schedule = parallel::Schedule::OneFOneB;
    int vpp = 1;
    bool timingPass = false;
    bool operator==(const PipelinePick&) const = default;
};

/// A pipeline, and the layers of its stages.
struct SplitPick {
    PipelinePick pipeline;
    const std::vector<int>* layers = nullptr; ///< of the tree; none: even
    void applyTo(parallel::Strategy& strategy) const;
};

/// A ZeRO stage and the replicas that share out; 0 = all.
struct ShardingPick {
    int stage = 0;
    int shards = 0;
    bool operator==(const ShardingPick&) const = default;
};

/// Ways to run a micro-batch that go with the same pipelines: by the place of the vocabulary; and, where it is at the
/// ends, with first layers recomputed, or with the layers spread unevenly.
enum class PipelineKind { Ends, FirstLayers, Uneven, Divided, Interlaced };
inline constexpr std::size_t kPipelineKinds = 5;

/// A way to run a micro-batch.
struct PassPick {
    bool sequenceParallel = false;
    parallel::Recompute recompute = parallel::Recompute::None;
    bool firstLayers =
        false; ///< of full recomputation: of so many layers of a stage only, as many as the tree lists for its stages
    parallel::VocabularyPlacement vocabulary = parallel::VocabularyPlacement::Ends;
    parallel::Offload offload = parallel::Offload::None;
    bool uneven = false; ///< the stages have other layers than their even share: all splits of the tree
    void applyTo(parallel::Strategy& strategy) const;
    [[nodiscard]] PipelineKind kind() const;
};

/// Recomputes the first `count` layers of every stage in full, or all where it has fewer, and no others. Of layers that
/// do not change.
void recomputeFirst(parallel::Strategy& strategy, int layers, int count);

/// EP, and TP of the experts.
struct ExpertPick {
    int ep = 1;
    int etp = 1;
    int number = 0; ///< one for each of the tree, whatever the division
};

/// The root of a subtree: what divides the layers and the batch, but for the micro-batch.
struct Division {
    int tp = 1, cp = 1, pp = 1, dp = 1;
    parallel::ContextMethod contextMethod = parallel::ContextMethod::Ring;
    std::int64_t leaves = 0;
    std::array<std::int64_t, kPipelineKinds> leavesOfPipeline{}; ///< with one micro-batch and pipeline, by PipelineKind
    [[nodiscard]] parallel::Strategy strategy() const;
    [[nodiscard]] int ranks() const { return tp * cp * pp * dp; }
};

/// A division with its experts divided, and what is left open but for micro-batch and pipeline.
/// Refers to its tree.
struct Degrees {
    parallel::Strategy strategy;
    std::span<const PassPick> passes;
    std::span<const ShardingPick> shardings;
    std::span<const parallel::RankOrder> orders; ///< that order the axes in use differently
    [[nodiscard]] std::vector<int> shardGroups() const; ///< 0, then the others in shardings
    /// Strategies with one of the pipelines, split in one way, and one of the passes.
    [[nodiscard]] std::size_t leaves() const { return shardings.size() * orders.size(); }
};

struct LargestFirst { };

/// The tree itself. While it does not grow any number of threads may read it.
class SpaceTree {
public:
    /// Precondition: check() finds no error in the plan beside its strategy. `space` must stay. Stopped: incomplete.
    SpaceTree(const plan::Plan& plan, const plan::SearchSpace& space, const cluster::Topology& topology,
        Schedules schedules = Schedules::All, const std::stop_token& stop = {})
        : SpaceTree(plan, space, topology, schedules, LargestFirst(), stop)
    {
        grow(stop);
    }
    /// The divisions of the most ranks alone, until it grows.
    SpaceTree(const plan::Plan& plan, const plan::SearchSpace& space, const cluster::Topology& topology,
        Schedules schedules, LargestFirst largestFirst, const std::stop_token& stop = {});
    ~SpaceTree();
    SpaceTree(const SpaceTree&) = delete;
    SpaceTree& operator=(const SpaceTree&) = delete;
    /// Adds those of all fewer ranks. Divisions stay where they are. False: stopped.
    bool grow(const std::stop_token& stop);
    [[nodiscard]] bool isGrown() const { return !m_wasStopped && (m_nextRanks <= 0 || !m_space.leaveIdle); }

    [[nodiscard]] const std::deque<Division>& divisions() const { return m_divisions; }
    [[nodiscard]] std::int64_t leaves() const { return m_leaves; }
    /// Strategies that the target framework of the space does not run, which are not in the tree: of the divisions so
    /// far.
    [[nodiscard]] const FrameworkCounts& taken() const { return m_taken; }
    /// Of the groups that the space lists to share out states, those that the replicas of no division so far can form;
    /// by rising number.
    [[nodiscard]] std::vector<int> unusedShards() const;

    // Below a division
    [[nodiscard]] const std::vector<ExpertPick>& experts(const Division& division) const;
    [[nodiscard]] Degrees degrees(const Division& division, ExpertPick experts) const;
    [[nodiscard]] const std::vector<int>& microBatches(const Division& division) const; ///< sizes, by rising size
    [[nodiscard]] const std::vector<PipelinePick>& pipelines(int pp, int microBatches, PipelineKind kind) const;
    /// Of all these, each with each of its splits.
    [[nodiscard]] std::int64_t splitPipelines(int pp, int microBatches, PipelineKind kind) const;
    [[nodiscard]] SplitPick splitPipeline(
        int pp, int microBatches, PipelineKind kind, std::int64_t place) const; ///< one of them
    /// Layers of each stage where they are not spread evenly: of loops of stages in so many chunks.
    [[nodiscard]] const std::vector<std::vector<int>>& unevenSplits(int pp, int chunks) const
    {
        return m_splits.at({pp, chunks});
    }
    /// Numbers of layers of every stage to recompute in full, but for all of them: by rising number.
    [[nodiscard]] const std::vector<int>& firstLayers(int pp) const { return m_firstLayers.at(pp); }
    /// Ways to recompute that a pass stands for.
    [[nodiscard]] std::int64_t ways(const PassPick& pass, int pp) const
    {
        return pass.firstLayers ? std::int64_t(firstLayers(pp).size()) : 1;
    }
    [[nodiscard]] int layers() const { return m_layers; }
    /// With a micro-batch of that size.
    [[nodiscard]] std::int64_t leaves(const Division& division, int microBatch) const;
    /// In classes; `merge` false: each by itself.
    [[nodiscard]] std::vector<PlacementPick> placements(const Degrees& degrees, bool merge = true) const;

    /// Sizes that any division may give a micro-batch.
    [[nodiscard]] const std::vector<int>& allMicroBatches() const { return m_microBatches; }
    [[nodiscard]] const cluster::Topology& topology() const { return m_topology; }
    [[nodiscard]] bool dividesVocabulary(int pp) const { return pp > 1 && m_dividesVocabulary; } ///< in some strategy
    [[nodiscard]] bool offloadsActivations() const; ///< in some strategy
    [[nodiscard]] bool hasUneven(int pp) const { return pp > 1 && m_hasUneven; } ///< may have
    [[nodiscard]] int leastRanks() const { return m_leastRanks; } ///< no division has fewer, grown or not

private:
    /// Of the micro-batches of so many sequences that run through so many stages.
    struct Sizes {
        std::vector<int> sizes;
        std::array<std::int64_t, kPipelineKinds> pipelines{}; ///< of all sizes together
        std::array<Survivors, kPipelineKinds> left{}; ///< of these before the framework is asked
    };
    /// Choices that the target framework has, and how many each of its rules leaves.
    template <class Pick>
    struct Choices {
        std::vector<Pick> picks;
        Survivors left{};
    };
    struct Passes {
        std::vector<PassPick> picks;
        std::array<int, kPipelineKinds> ofKind{}; ///< how many
        std::array<Survivors, kPipelineKinds> left{}; ///< of those before the framework is asked
    };
    class Rules; ///< what check() says of one group of dimensions at a time, each asked once

    [[nodiscard]] bool mayUse(int ranks) const
    {
        return (ranks == m_allRanks || m_space.leaveIdle) && m_space.accelerators.allows(ranks);
    }
    void addRanks(int ranks, const std::stop_token& stop);
    void addDivision(Division division, const std::stop_token& stop);
    void addPasses(PassPick pass,
        std::vector<PassPick>& picks) const; ///< with all layers of a stage recomputed, and with the first ones
    [[nodiscard]] std::vector<PassPick> findPasses(const Division& division, Rules& rules) const;
    [[nodiscard]] std::vector<ShardingPick> findShardings(int replicas, int replicasOfExperts, Rules& rules);
    [[nodiscard]] std::vector<int> findShardGroups(int replicas, int replicasOfExperts, Rules& rules) const;
    [[nodiscard]] Sizes findSizes(int pp, int sequences, Rules& rules, const std::stop_token& stop);
    [[nodiscard]] std::vector<PipelinePick> findPipelines(
        int pp, int microBatches, PipelineKind kind, Rules& rules) const;
    [[nodiscard]] std::vector<std::vector<int>> findSplits(int pp, int chunks, const std::stop_token& stop) const;
    void findOffloads(const plan::Plan& plan);
    [[nodiscard]] bool isListedShards(int shards) const;
    [[nodiscard]] std::vector<int> chunkCounts(int pp) const;
    [[nodiscard]] const Choices<parallel::RankOrder>& orders(const parallel::Strategy& strategy);
    [[nodiscard]] const Choices<ShardingPick>& shardings(const Division& division, ExpertPick experts);
    [[nodiscard]] const Passes& passes(const Division& division);
    void findExperts(const Division& division, Rules& rules);
    // Drop choices that the target framework does not run, and count what each of its rules leaves.
    void askFramework(
        const Division& division, std::vector<PassPick>& picks, std::array<Survivors, kPipelineKinds>& left);
    void askFramework(int pp, PipelineKind kind, Choices<PipelinePick>& pipelines);
    void askFramework(parallel::Strategy strategy, Choices<ShardingPick>& shardings);
    void askFramework(parallel::Strategy strategy, Choices<parallel::RankOrder>& orders);
    void countTaken(const Division& division, std::size_t objection);
    [[nodiscard]] bool asksFramework() const { return m_space.framework != plan::TargetFramework::Any; }

    using PassKey = std::array<int, 4>;
    [[nodiscard]] static PassKey passKey(const Division& d)
    {
        return {d.tp, d.cp, int(d.contextMethod), int(d.pp > 1)};
    }
    using ExpertKey = std::array<int, 2>;
    [[nodiscard]] static ExpertKey expertKey(const Division& d) { return {d.tp, d.dp * d.cp}; }
    using ShardingKey = std::array<int,
        5>; ///< replicas of layers and of experts; where a framework is asked also CP, and whether there are TP and PP
    [[nodiscard]] ShardingKey shardingKey(const Division& division, ExpertPick experts) const;
    [[nodiscard]] unsigned orderKey(const parallel::Strategy& strategy)
        const; ///< the axes in use; where a framework is asked also where experts lie

    int m_layers, m_globalBatch, m_length, m_experts;
    bool m_hasExpertLayers;
    const plan::SearchSpace& m_space;
    cluster::Topology m_topology;
    std::vector<parallel::Schedule> m_schedules;
    std::vector<parallel::ContextMethod> m_contextMethods;
    std::vector<parallel::RankOrder> m_orders; ///< that the space allows
    std::vector<parallel::VocabularyPlacement> m_placements; ///< of the vocabulary
    std::vector<parallel::Offload> m_offloads;
    std::vector<bool> m_timingPasses;
    bool m_dividesVocabulary = false;
    bool m_hasEven, m_hasUneven; ///< splits
    std::vector<int> m_microBatches;
    std::map<int, std::vector<int>> m_firstLayers; ///< by stages
    std::map<PassKey, Passes> m_passes;
    std::map<ExpertKey, std::vector<ExpertPick>> m_expertPicks;
    std::map<ExpertKey, std::vector<std::pair<ExpertPick, std::size_t>>>
        m_objectedExperts; ///< that the framework does not run, each with the first rule
    std::map<std::array<int, 2>, int> m_expertNumbers; ///< by EP and expert TP
    std::map<ShardingKey, Choices<ShardingPick>> m_shardings;
    std::map<std::array<int, 3>, Choices<PipelinePick>> m_pipelines; ///< by stages, micro-batches and PipelineKind
    std::map<std::pair<int, int>, std::vector<std::vector<int>>> m_splits; ///< that are not even, by stages and chunks
    std::map<std::pair<int, int>, Sizes> m_sizes; ///< by stages and sequences of a replica
    std::map<unsigned, Choices<parallel::RankOrder>> m_ordersSeen; ///< by orderKey()
    std::unique_ptr<Rules> m_rules; ///< until it is grown
    std::deque<Division> m_divisions;
    std::int64_t m_leaves = 0;
    FrameworkCounts m_taken{};
    std::set<int> m_usedShards; ///< of those listed
    bool m_wasStopped = false; ///< before all of it was laid out
    int m_allRanks = 1, m_leastRanks = 1;
    int m_nextRanks = 0, m_ranksPerNode = 1; ///< to grow by
};

} // namespace stratoplan::space
