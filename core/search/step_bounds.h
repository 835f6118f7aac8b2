// SPDX-License-Identifier: Apache-2.0
// Inside of the search: bounds of what the strategies of a node take, made of the pieces of a micro-batch.
#pragma once

#include "core/pricing/pricing_context.h"
#include "core/search/lean_pipelines.h"
#include "core/search/valuation.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace stratoplan::search {

/// A number for what the pieces of a micro-batch with nothing repeated depend on of how it is run.
[[nodiscard]] inline std::size_t unrepeatedWay(const parallel::Strategy& s)
{
    return pricing::dividesLayers(s) ? 2 : std::size_t(s.sequenceParallel);
}
inline constexpr std::size_t kUnrepeatedWays = 3;
/// As Megatron partitions it: what bounds of ways to divide it in space and time are asked of.
[[nodiscard]] parallel::Strategy undividedLayers(parallel::Strategy strategy);

/// Pieces of the micro-batches of one size and TP, CP and its method, each found when it is needed.
class MicroBatchPieces {
public:
    MicroBatchPieces(pricing::PricingContext& pricing, const space::SpaceTree& tree)
        : m_pricing(pricing)
        , m_tree(tree)
    {
    }
    /// One sequence in the whole model, with the experts divided in any way.
    [[nodiscard]] Seconds sequence(const parallel::Strategy& strategy);
    /// With nothing repeated.
    [[nodiscard]] pricing::PieceSeconds unrepeated(const parallel::Strategy& strategy, space::ExpertPick experts);
    /// With the vocabulary at the ends.
    [[nodiscard]] pricing::PieceSeconds ofPass(parallel::Strategy strategy, space::ExpertPick experts);

private:
    pricing::PricingContext& m_pricing;
    const space::SpaceTree& m_tree;
    std::vector<std::optional<pricing::PieceSeconds>> m_unrepeated; ///< by experts, then way
    std::vector<std::vector<std::optional<pricing::PieceSeconds>>>
        m_ofPasses; ///< by experts, then way, offload and recomputation
    std::array<std::optional<Seconds>, 2> m_sequence{}; ///< of one stage, of several
};

/// Of one plan. At most the values of all strategies that agree with the given one in what is named.
class StepBounds {
public:
    /// Refers to all of them.
    StepBounds(pricing::PricingContext& pricing, const space::SpaceTree& tree, const Valuation& valuation);

    /// Its degrees: the products of the model at the peak rate. Quick to find, and loose.
    [[nodiscard]] double ofProducts(const parallel::Strategy& strategy);
    /// The degrees, with a micro-batch of up to so many sequences.
    [[nodiscard]] double ofSequences(const parallel::Strategy& strategy, int mostSequences);
    /// The degrees and the micro-batch.
    [[nodiscard]] double ofSequences(const parallel::Strategy& strategy);
    /// The same: the best of all divisions of the experts, with nothing repeated.
    [[nodiscard]] double ofMicroBatch(
        parallel::Strategy strategy, std::span<const space::ExpertPick> experts, const LeanByKind& lean);
    /// The degrees and the micro-batch, where some stage takes that long for one.
    [[nodiscard]] double ofStage(const parallel::Strategy& strategy, Seconds microBatch) const;

    /// Of the degrees and the micro-batch. Stays.
    [[nodiscard]] MicroBatchPieces& pieces(const parallel::Strategy& strategy);

private:
    [[nodiscard]] Seconds leastSequence(parallel::Strategy strategy, int mostSequences);

    pricing::PricingContext& m_pricing;
    const space::SpaceTree& m_tree;
    const Valuation& m_valuation;
    std::optional<Seconds> m_products; ///< of one sequence on one rank
    std::map<std::array<int, 4>, MicroBatchPieces> m_pieces; ///< by TP, CP, its method and micro-batch
    std::map<std::array<int, 4>, Seconds>
        m_leastSequences; ///< by TP, CP, its method, and whether there are several stages
};

} // namespace stratoplan::search
