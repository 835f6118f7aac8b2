// SPDX-License-Identifier: Apache-2.0
// Inside of the search: the last kind of node where tensor-parallel ranks divide layers in space and time. The best
// division depends on what else is held, so that neither pipelines nor shardings share prices: each strategy is priced
// by itself.
#pragma once

#include "core/search/explored_plan.h"

namespace stratoplan::search {

/// `strategy`: the degrees, the micro-batch and the way to run it, which is `pick`.
void openDividedLeaves(ExploredPlan& plan, Opening& opening, const space::Degrees& degrees, const space::PassPick& pick,
    const parallel::Strategy& strategy);

} // namespace stratoplan::search
