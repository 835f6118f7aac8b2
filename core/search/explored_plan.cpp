// SPDX-License-Identifier: Apache-2.0
#include "core/search/explored_plan.h"

namespace stratoplan::search {

const std::vector<space::PlacementPick>& KnownPlacements::find(const Node& node, const space::Degrees& degrees)
{
    constexpr std::size_t kMost = 2048;
    if (m_known.size() > kMost)
        m_known.clear();
    const auto [known, isNew] = m_known.try_emplace({node.division, node.experts});
    if (isNew)
        known->second = degrees.placements(m_topology);
    return known->second;
}

ExploredPlan::ExploredPlan(const plan::Plan& plan, const space::SpaceTree& itsTree, const SearchOptions& itsOptions)
    : tree(itsTree)
    , options(itsOptions)
    , pricing(plan, *itsOptions.catalog)
    , rules(itsOptions, pricing.unlike() != nullptr)
    , valuation(plan, itsOptions)
    , pipelines(pricing, tree)
    , steps(pricing, tree, valuation)
    , peaks(pricing, tree, valuation, itsOptions.keep)
    , placements(pricing.topology())
{
}

ExploredPlan::ExploredPlan(const plan::Plan& plan, const cost::StageMachine& machine, const space::SpaceTree& itsTree,
    const SearchOptions& itsOptions)
    : tree(itsTree)
    , options(itsOptions)
    , pricing(plan, machine)
    , rules(itsOptions, false)
    , valuation(plan, itsOptions)
    , pipelines(pricing, tree)
    , steps(pricing, tree, valuation)
    , peaks(pricing, tree, valuation, itsOptions.keep)
    , placements(pricing.topology())
{
}

void record(ExploredPlan& plan, Opening& opening, Seconds step, double peak, const parallel::Strategy& strategy)
{
    Valuation& valuation = plan.valuation;
    if (!valuation.wants(step, peak))
        return;
    const double value = valuation.value(step, strategy);
    if (!opening.beats(value, peak))
        opening.add({strategy, valuation.precision(), value, step, Bytes(peak)});
}

} // namespace stratoplan::search
