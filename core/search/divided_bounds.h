// SPDX-License-Identifier: Apache-2.0
// Inside of the search: bounds of strategies whose layers are divided in space and time, by what a layer takes, before
// it is known how it is divided.
#pragma once

#include "core/search/explored_plan.h"

#include <vector>

namespace stratoplan::search {

/// Of one pass: at most the values and peaks of all its strategies, and what their layers may take.
class DividedBounds {
public:
    /// Refers to plan and opening. The degrees of the strategy and its way to run a micro-batch are settled; `kind`: of
    /// its pipelines.
    DividedBounds(
        ExploredPlan& plan, const Opening& opening, const parallel::Strategy& strategy, space::PipelineKind kind);

    /// With the groups of this order of ranks in their places.
    void place(const parallel::RankOrder& order);
    void leavePlace() { m_pieces = m_anywhere; }

    /// Of strategies with this pipeline whose layers take so much more than those that are divided fastest: what their
    /// stages do, and while a loop of them fills and drains.
    [[nodiscard]] double value(const space::SplitPick& split, Seconds more = {}) const;
    /// Seconds of a layer beyond the fastest, and bytes: what is in none of these corners the rule drops.
    [[nodiscard]] std::vector<partition::Corner> worthHaving(const space::SplitPick& split) const;

    /// Of strategies with this pipeline and ZeRO stage.
    [[nodiscard]] double peak(const std::vector<pricing::HeldLayers>& held, int zeroStage);
    /// What stages of this pipeline hold at the least.
    [[nodiscard]] std::vector<pricing::HeldLayers> held(const space::SplitPick& split) const;

private:
    /// The model has layers of one kind.
    [[nodiscard]] Seconds pricing::PieceSeconds::*layer() const
    {
        return m_plan.pricing.plan().model.moe ? &pricing::PieceSeconds::moeLayer : &pricing::PieceSeconds::denseLayer;
    }
    [[nodiscard]] Seconds mostMore(const space::SplitPick& split, double peak) const;

    ExploredPlan& m_plan;
    const Opening& m_opening;
    parallel::Strategy m_strategy;
    const LeanPipelines& m_lean;
    pricing::PieceSeconds m_anywhere,
        m_pieces; ///< with what layers compute at the least, and with the fastest in their place
    double m_slack; ///< bytes by which a division may be told to need more than it does
    std::map<int, pricing::LayerStates> m_states; ///< by ZeRO stage
};

} // namespace stratoplan::search
