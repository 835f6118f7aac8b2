// SPDX-License-Identifier: Apache-2.0
// Inside of a search space: the pipelines that run micro-batches, and how layers are split over their stages. They
// depend on nothing but the stages and the micro-batches, so that divisions share them.
#pragma once

#include "core/space/space_rules.h"
#include "core/space/space_scope.h"

#include <stop_token>

namespace stratoplan::space {

class SpacePipelines {
public:
    /// Of the micro-batches of so many sequences that run through so many stages.
    struct Sizes {
        std::vector<int> sizes;
        std::array<std::int64_t, kPipelineKinds> pipelines{}; ///< of all sizes together
        std::array<Survivors, kPipelineKinds> left{}; ///< of these before the framework is asked
    };

    SpacePipelines(const SpaceScope& scope, SpaceRules& rules)
        : m_scope(scope)
        , m_rules(rules)
    {
    }

    /// Finds what is not known yet. Stopped: incomplete.
    void add(int pp, int sequences, const std::stop_token& stop);
    // What has been added.
    [[nodiscard]] const Sizes& sizes(int pp, int sequences) const { return m_sizes.at({pp, sequences}); }
    [[nodiscard]] const std::vector<PipelinePick>& pipelines(int pp, int microBatches, PipelineKind kind) const
    {
        return m_pipelines.at({pp, microBatches, int(kind)}).picks;
    }
    [[nodiscard]] std::int64_t splitPipelines(int pp, int microBatches, PipelineKind kind) const;
    [[nodiscard]] SplitPick splitPipeline(int pp, int microBatches, PipelineKind kind, std::int64_t place) const;
    [[nodiscard]] const std::vector<std::vector<int>>& unevenSplits(int pp, int chunks) const
    {
        return m_splits.at({pp, chunks});
    }
    [[nodiscard]] const std::vector<int>& firstLayers(int pp) const { return m_firstLayers.at(pp); }

private:
    [[nodiscard]] Sizes findSizes(int pp, int sequences, const std::stop_token& stop);
    [[nodiscard]] std::vector<PipelinePick> findPipelines(int pp, int microBatches, PipelineKind kind);
    [[nodiscard]] std::vector<std::vector<int>> findSplits(int pp, int chunks, const std::stop_token& stop) const;
    [[nodiscard]] std::vector<int> chunkCounts(int pp) const;
    void askFramework(int pp, PipelineKind kind, Choices<PipelinePick>& pipelines);

    const SpaceScope& m_scope;
    SpaceRules& m_rules;
    std::map<int, std::vector<int>> m_firstLayers; ///< by stages
    std::map<std::array<int, 3>, Choices<PipelinePick>> m_pipelines; ///< by stages, micro-batches and PipelineKind
    std::map<std::pair<int, int>, std::vector<std::vector<int>>> m_splits; ///< that are not even, by stages and chunks
    std::map<std::pair<int, int>, Sizes> m_sizes; ///< by stages and sequences of a replica
};

} // namespace stratoplan::space
