// SPDX-License-Identifier: Apache-2.0
// Inside of the search: a plan and its space with all that opening a node of it asks for: prices, values, and bounds,
// each of which is found once. One per thread and plan.
#pragma once

#include "core/pricing/pricing_context.h"
#include "core/search/lean_pipelines.h"
#include "core/search/opening.h"
#include "core/search/peak_bounds.h"
#include "core/search/step_bounds.h"
#include "core/search/valuation.h"
#include "core/space/space_tree.h"

#include <map>

namespace stratoplan::search {

/// Ranks in their places, in classes.
class KnownPlacements {
public:
    explicit KnownPlacements(const cluster::Topology& topology)
        : m_topology(topology)
    {
    }
    /// `degrees`: the division and experts of the node. Stays until another node is asked about.
    [[nodiscard]] const std::vector<space::PlacementPick>& find(const Node& node, const space::Degrees& degrees);

private:
    const cluster::Topology& m_topology;
    std::map<std::pair<const space::Division*, int>, std::vector<space::PlacementPick>>
        m_known; ///< by division and experts
};

struct ExploredPlan {
    /// Refers to the tree and the options.
    ExploredPlan(const plan::Plan& plan, const space::SpaceTree& itsTree, const SearchOptions& itsOptions);
    /// The same, of strategies that run on one machine alone.
    ExploredPlan(const plan::Plan& plan, const cost::StageMachine& machine, const space::SpaceTree& itsTree,
        const SearchOptions& itsOptions);
    ExploredPlan(const ExploredPlan&) = delete;
    ExploredPlan& operator=(const ExploredPlan&) = delete;

    [[nodiscard]] int microBatches(const parallel::Strategy& s) const
    {
        return pricing.plan().training.globalBatch / s.dp / s.microBatch;
    }

    const space::SpaceTree& tree;
    const SearchOptions& options;
    pricing::PricingContext pricing;
    RulesInUse rules;
    Valuation valuation;
    KnownPipelines pipelines;
    StepBounds steps;
    PeakBounds peaks;
    KnownPlacements placements;
};

/// Keeps a strategy of the node that is opened, if it is wanted and nothing known beats it.
void record(ExploredPlan& plan, Opening& opening, Seconds step, double peak, const parallel::Strategy& strategy);

} // namespace stratoplan::search
