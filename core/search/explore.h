// SPDX-License-Identifier: Apache-2.0
// Inside of the search: opens one node of the search tree at a time. Opening it drops what some rule drops, and gives
// the nodes below it, or, of the last kind, prices the strategies:
//   division -> micro-batch -> way to run it (open_passes.h) -> strategies (open_leaves.h)
#pragma once

#include "core/search/explored_plan.h"

#include <optional>
#include <stop_token>

namespace stratoplan::search {

/// One per thread and plan.
class Explorer {
public:
    Explorer(const plan::Plan& plan, const space::SpaceTree& tree, const SearchOptions& options)
        : m_whole(plan, tree, options)
    {
    }

    /// The division as a node. Its bound is quick to find, and loose.
    [[nodiscard]] Node root(const space::Division& division);
    /// `known`: what was found before.
    [[nodiscard]] Explored open(
        const Node& node, const Front& known, plan::SearchMode mode, const std::stop_token& stop);

    /// One strategy at its simulated step; nothing if it does not fit or misses the deadline.
    [[nodiscard]] std::optional<FoundStrategy> simulated(const parallel::Strategy& strategy);

private:
    /// Of the nodes that the strategy uses (PricingContext::onUsedNodes()). Stays until another is asked about.
    [[nodiscard]] ExploredPlan& planOf(const parallel::Strategy& strategy);

    ExploredPlan m_whole;
    pricing::ByUsedNodes<ExploredPlan> m_parts;
};

} // namespace stratoplan::search
