// SPDX-License-Identifier: Apache-2.0
// Inside of the search: what all pipelines of one kind do and hold at the least, whichever of them is chosen.
#pragma once

#include "core/pricing/pricing_context.h"
#include "core/search/uneven_splits.h"
#include "core/space/space_tree.h"

#include <array>
#include <map>
#include <stop_token>
#include <vector>

namespace stratoplan::search {

/// Of one kind, of so many stages and micro-batches: of those that take part in a mode.
struct LeanPipelines {
    struct Stages {
        std::vector<pricing::StageShare> shares;
        int ways = 1; ///< a micro-batch passes one of so many chunks of a stage
        bool paired = false; ///< passes run together and hide each other's expert traffic
    };
    std::vector<space::PipelinePick> picks; ///< those that hold least in as many chunks
    std::vector<Stages> stages; ///< of each of them, or of each split
    std::vector<std::vector<pricing::HeldLayers>> held; ///< of each of them, in any split
    /// At least what the busiest stage takes for a micro-batch of such pieces.
    [[nodiscard]] Seconds busiest(const pricing::PieceSeconds& pieces) const;
    /// Where the first `count` layers of every stage are of the pieces that are repeated, and the others of those
    /// that are kept.
    [[nodiscard]] Seconds busiest(
        const pricing::PieceSeconds& kept, const pricing::PieceSeconds& repeated, int count) const;
};

/// By PipelineKind; none: no pipelines, or among those of another kind.
using LeanByKind = std::array<const LeanPipelines*, space::kPipelineKinds>;

/// Whether stages share the vocabulary; what each has of it is then left out of the pieces.
[[nodiscard]] inline bool sharesVocabulary(space::PipelineKind kind)
{
    return kind == space::PipelineKind::Divided || kind == space::PipelineKind::Interlaced;
}
[[nodiscard]] pricing::PieceSeconds withoutEnds(pricing::PieceSeconds pieces);

/// Those of one plan, each found once.
class KnownPipelines {
public:
    /// Refers to both.
    KnownPipelines(pricing::PricingContext& pricing, const space::SpaceTree& tree)
        : m_pricing(pricing)
        , m_tree(tree)
    {
    }
    /// Of the stages and micro-batches of the strategy.
    [[nodiscard]] const LeanPipelines& lean(const parallel::Strategy& strategy, space::PipelineKind kind,
        plan::SearchMode mode, const std::stop_token& stop);
    /// Of all kinds; those that recompute first layers are among the even ones.
    [[nodiscard]] LeanByKind lean(
        const parallel::Strategy& strategy, plan::SearchMode mode, const std::stop_token& stop);
    [[nodiscard]] const UnevenSplits& splits(int pp, int chunks, const std::stop_token& stop);

private:
    [[nodiscard]] std::vector<space::PipelinePick> leanPicks(
        int pp, int microBatches, space::PipelineKind kind, plan::SearchMode mode) const;
    void addEven(parallel::Strategy strategy, LeanPipelines& result);
    void addUneven(parallel::Strategy strategy, LeanPipelines& result, const std::stop_token& stop);

    pricing::PricingContext& m_pricing;
    const space::SpaceTree& m_tree;
    std::map<std::array<int, 4>, LeanPipelines> m_lean; ///< by SearchMode, stages, micro-batches and PipelineKind
    std::map<std::pair<int, int>, UnevenSplits> m_splits; ///< by stages and chunks
};

} // namespace stratoplan::search
