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

    /// With layers that take as long as this, of groups in the places of the order of ranks that was left open.
    void place(Seconds layer);
    void leavePlace(const parallel::RankOrder& order)
    {
        m_strategy.rankOrder = order;
        m_pieces = m_anywhere;
    }

    /// Of strategies with this pipeline whose layers take so much more than those that are divided fastest: what their
    /// stages do, and while a loop of them fills and drains.
    [[nodiscard]] double value(const space::SplitPick& split, Seconds more = {}) const;
    /// Of a strategy with this pipeline and sharding, its groups in their places: the step of layers that take as long
    /// as they do at the least, with the end of the step.
    [[nodiscard]] double value(const space::SplitPick& split, const space::ShardingPick& sharding) const;
    /// Seconds of a layer beyond the fastest, with which they are placed, and bytes: what is in none of these corners
    /// the rule drops. `least`, `peak`: of a strategy with this sharding, the value if its layers are fastest, and what
    /// it holds at the least.
    [[nodiscard]] std::vector<partition::Corner> worthHaving(
        const space::SplitPick& split, const space::ShardingPick& sharding, double least, double peak) const;

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
    /// Of layers that take so much longer. `least`, `rate`: what the value is at the least, and how much it rises.
    [[nodiscard]] Seconds mostMore(const space::SplitPick& split, double peak, double least, double rate) const;
    [[nodiscard]] double rate(const space::SplitPick& split, const space::ShardingPick& sharding) const;

    ExploredPlan& m_plan;
    const Opening& m_opening;
    parallel::Strategy m_strategy;
    space::PipelineKind m_kind;
    const LeanPipelines& m_lean;
    pricing::PieceSeconds m_anywhere,
        m_pieces; ///< with what layers compute at the least, and with the fastest in their place
    double m_slack; ///< bytes by which a division may be told to need more than it does
    std::map<int, pricing::LayerStates> m_states; ///< by ZeRO stage
};

} // namespace stratoplan::search
