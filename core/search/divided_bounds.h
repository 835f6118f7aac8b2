// SPDX-License-Identifier: Apache-2.0
// Inside of the search: bounds of strategies whose layers are divided in space and time, by what a layer takes, before
// it is known how it is divided.
#pragma once

#include "core/search/explored_plan.h"

#include <optional>

namespace stratoplan::search {

/// Of one pass and placement: at most the values of all its strategies, and what their layers may take.
class DividedBounds {
public:
    /// Refers to all but the strategy, whose degrees, way to run a micro-batch and order of ranks are settled.
    DividedBounds(ExploredPlan& plan, const Opening& opening, const parallel::Strategy& strategy);

    /// Of strategies with this pipeline whose layers take so much more than those that are divided fastest: what their
    /// stages do, and while a loop of them fills and drains.
    [[nodiscard]] double ofPipeline(const space::SplitPick& split, Seconds more = {}) const;
    /// So much more a layer may take in this pipeline. What has more is dropped by the rule; infinite: nothing is.
    [[nodiscard]] Seconds mostMore(const space::SplitPick& split) const;

private:
    ExploredPlan& m_plan;
    const Opening& m_opening;
    parallel::Strategy m_strategy;
    const LeanPipelines& m_lean;
    pricing::PieceSeconds m_pieces; ///< with the fastest layers
    Seconds m_layer; ///< the fastest
};

} // namespace stratoplan::search
