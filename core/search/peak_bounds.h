// SPDX-License-Identifier: Apache-2.0
// Inside of the search: bounds of the peak memory of a node's strategies.
#pragma once

#include "core/pricing/pricing_context.h"
#include "core/search/lean_pipelines.h"
#include "core/search/valuation.h"

#include <array>
#include <map>
#include <span>
#include <vector>

namespace stratoplan::search {

/// Whether an optimizer of ZeRO-1 or 2 needs copies of gradients that ZeRO-0 does not.
[[nodiscard]] bool flattensGradients(const plan::SoftwareProfile& software);

/// Of one plan. At most the peaks of all strategies that agree with the given one in what is named; 0 where the best
/// strategy alone is looked for and there is room.
class PeakBounds {
public:
    /// Refers to all of them.
    PeakBounds(
        pricing::PricingContext& pricing, const space::SpaceTree& tree, const Valuation& valuation, FrontKind keep);

    /// TP, CP and its method: so many sequences there may be room for in a micro-batch.
    [[nodiscard]] int mostSequences(const parallel::Strategy& strategy) { return sequences(strategy).most; }
    /// The degrees and the micro-batch.
    [[nodiscard]] double ofMicroBatch(const parallel::Strategy& strategy, const LeanByKind& lean);
    /// The same, and the way to run the micro-batch, with some of these states.
    [[nodiscard]] double ofPass(const parallel::Strategy& strategy, std::span<const pricing::SequenceBytes> ways,
        const LeanPipelines& lean, std::span<const pricing::LayerStates> states) const;
    /// The same, and what stages hold, with these states.
    [[nodiscard]] double ofPipeline(const parallel::Strategy& strategy, std::span<const pricing::HeldLayers> held,
        const pricing::LayerStates& states);
    /// TP, CP and its method: a sequence in each way. Stays.
    [[nodiscard]] std::span<const pricing::SequenceBytes> ways(const parallel::Strategy& strategy)
    {
        return sequences(strategy).ofWays;
    }
    /// Of the shardings that hold least.
    [[nodiscard]] std::vector<pricing::LayerStates> leanestStates(
        parallel::Strategy strategy, const space::Degrees& degrees);
    /// Exactly that of the leanest schedules and shardings. Of even splits. `firstLayers`: of every stage are
    /// recomputed; 0: as the strategy says.
    [[nodiscard]] double ofLeanestSharding(parallel::Strategy strategy, const space::Degrees& degrees,
        const LeanPipelines& lean, int firstLayers = 0) const;
    /// The place of the fewest first layers for which some schedule and sharding may have room; the end where none has.
    [[nodiscard]] int fewestLayers(
        const parallel::Strategy& strategy, const space::Degrees& degrees, const LeanPipelines& lean) const;
    /// Of the strategy itself. More than any accelerator has where the host has no room for what is offloaded.
    [[nodiscard]] double exact(const parallel::Strategy& strategy) const;

    [[nodiscard]] bool flattens() const { return m_flattens; }

private:
    /// Sequences of one TP, CP and its method.
    struct Sequences {
        std::vector<pricing::SequenceBytes> ofWays; ///< by unrepeatedWay(), offloaded or not, repeated so
        std::vector<pricing::SequenceBytes> leanest; ///< of these
        int most = 0; ///< in a micro-batch, that there may be room for
    };
    [[nodiscard]] const Sequences& sequences(const parallel::Strategy& strategy);
    [[nodiscard]] Sequences findSequences(parallel::Strategy strategy) const;
    [[nodiscard]] int mostSequences(std::span<const pricing::SequenceBytes> ways) const;
    [[nodiscard]] double leastPeak(const LeanPipelines& lean, std::span<const pricing::SequenceBytes> ways,
        std::span<const pricing::LayerStates> states, int microBatch) const;
    [[nodiscard]] double leastBytes(std::span<const pricing::SequenceBytes> ways,
        std::span<const pricing::LayerStates> states, std::span<const pricing::HeldLayers> stages, int sequences) const;
    [[nodiscard]] std::vector<int> leanestStages(const space::Degrees& degrees) const;
    /// Enough to know that there is room.
    [[nodiscard]] bool isEnough(double peak) const
    {
        return m_keep == FrontKind::Best && peak <= m_valuation.mostBytes();
    }

    pricing::PricingContext& m_pricing;
    const space::SpaceTree& m_tree;
    const Valuation& m_valuation;
    FrontKind m_keep;
    bool m_flattens;
    std::map<std::array<int, 3>, Sequences> m_sequences; ///< by TP, CP and its method
};

} // namespace stratoplan::search
