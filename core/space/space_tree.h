// SPDX-License-Identifier: Apache-2.0
// A search space laid out as a tree over one plan: divisions of the ranks, below each the ways to run a micro-batch,
// pipelines, places of the groups, and ways to shard. What is open on one floor depends only on the floors above, never
// on a sibling, so that the leaves below a node are counted without visiting them. Every floor is in a fixed order.
#pragma once

#include "core/space/space_choices.h"
#include "core/space/space_pipelines.h"

#include <deque>
#include <span>

namespace stratoplan::space {

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
    /// In classes, on that topology; `merge` false: each by itself.
    [[nodiscard]] std::vector<PlacementPick> placements(const cluster::Topology& topology, bool merge = true) const;
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
    SpaceTree(const SpaceTree&) = delete;
    SpaceTree& operator=(const SpaceTree&) = delete;
    /// Adds those of all fewer ranks. Divisions stay where they are. False: stopped.
    bool grow(const std::stop_token& stop);
    [[nodiscard]] bool isGrown() const { return !m_wasStopped && (m_nextRanks <= 0 || !m_scope.space.leaveIdle); }

    [[nodiscard]] const std::deque<Division>& divisions() const { return m_divisions; }
    [[nodiscard]] std::int64_t leaves() const { return m_leaves; }
    /// Strategies that the target framework of the space does not run, which are not in the tree: of the divisions so
    /// far.
    [[nodiscard]] const FrameworkCounts& taken() const { return m_taken; }
    /// Of the groups that the space lists to share out states, those that the replicas of no division so far can form;
    /// by rising number.
    [[nodiscard]] std::vector<int> unusedShards() const { return m_choices.unusedShards(); }

    // Below a division
    [[nodiscard]] const std::vector<ExpertPick>& experts(const Division& division) const
    {
        return m_choices.experts(division).picks;
    }
    [[nodiscard]] Degrees degrees(const Division& division, ExpertPick experts) const;
    [[nodiscard]] const std::vector<int>& microBatches(const Division& division) const ///< sizes, by rising size
    {
        return m_pipelines.sizes(division.pp, m_scope.globalBatch / division.dp).sizes;
    }
    [[nodiscard]] const std::vector<PipelinePick>& pipelines(int pp, int microBatches, PipelineKind kind) const
    {
        return m_pipelines.pipelines(pp, microBatches, kind);
    }
    /// Of all these, each with each of its splits.
    [[nodiscard]] std::int64_t splitPipelines(int pp, int microBatches, PipelineKind kind) const
    {
        return m_pipelines.splitPipelines(pp, microBatches, kind);
    }
    /// One of them.
    [[nodiscard]] SplitPick splitPipeline(int pp, int microBatches, PipelineKind kind, std::int64_t place) const
    {
        return m_pipelines.splitPipeline(pp, microBatches, kind, place);
    }
    /// Layers of each stage where they are not spread evenly: of loops of stages in so many chunks.
    [[nodiscard]] const std::vector<std::vector<int>>& unevenSplits(int pp, int chunks) const
    {
        return m_pipelines.unevenSplits(pp, chunks);
    }
    /// Numbers of layers of every stage to recompute in full, but for all of them: by rising number.
    [[nodiscard]] const std::vector<int>& firstLayers(int pp) const { return m_pipelines.firstLayers(pp); }
    /// Ways to recompute that a pass stands for.
    [[nodiscard]] std::int64_t ways(const PassPick& pass, int pp) const
    {
        return pass.firstLayers ? std::int64_t(firstLayers(pp).size()) : 1;
    }
    [[nodiscard]] int layers() const { return m_scope.layers; }
    /// With a micro-batch of that size.
    [[nodiscard]] std::int64_t leaves(const Division& division, int microBatch) const;

    /// Sizes that any division may give a micro-batch.
    [[nodiscard]] const std::vector<int>& allMicroBatches() const { return m_scope.microBatches; }
    [[nodiscard]] const cluster::Topology& topology() const { return m_topology; } ///< of the whole cluster
    [[nodiscard]] bool dividesVocabulary(int pp) const
    {
        return pp > 1 && m_scope.dividesVocabulary;
    } ///< in some strategy
    [[nodiscard]] bool offloadsActivations() const; ///< in some strategy
    [[nodiscard]] bool dividesLayers(int tp, int cp) const { return m_scope.dividesLayers(tp, cp); } ///< in some
    [[nodiscard]] bool hasUneven(int pp) const { return pp > 1 && m_scope.hasUneven; } ///< may have
    [[nodiscard]] int leastRanks() const { return m_scope.leastRanks; } ///< no division has fewer, grown or not

private:
    [[nodiscard]] bool dividesModel(int tp, int cp);
    void addRanks(int ranks, const std::stop_token& stop);
    void addDivision(Division division, const std::stop_token& stop);
    void countTaken(const Division& division, std::size_t objection);

    cluster::Topology m_topology;
    SpaceScope m_scope;
    SpaceRules m_rules;
    SpaceChoices m_choices;
    SpacePipelines m_pipelines;
    std::deque<Division> m_divisions;
    std::int64_t m_leaves = 0;
    FrameworkCounts m_taken{};
    bool m_wasStopped = false; ///< before all of it was laid out
    int m_nextRanks; ///< to grow by
};

} // namespace stratoplan::space
