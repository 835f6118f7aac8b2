// SPDX-License-Identifier: Apache-2.0
// Inside of the search: the last kind of node where the stages of strategies run on unlike nodes. What holds for places
// and pipelines on nodes of one kind does not hold there: each strategy is priced by itself, but for those that a bound
// of each keeps from it.
#pragma once

#include "core/search/explored_plan.h"

#include <vector>

namespace stratoplan::search {

/// `strategy`: the degrees, the micro-batch and the way to run it, which is `pick`. `firstLayers`: of every stage that
/// may be recomputed, by rising number; 0: as the pick says.
void openUnlikeLeaves(ExploredPlan& plan, Opening& opening, const space::Degrees& degrees, const space::PassPick& pick,
    const parallel::Strategy& strategy, const std::vector<int>& firstLayers);

} // namespace stratoplan::search
