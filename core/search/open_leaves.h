// SPDX-License-Identifier: Apache-2.0
// Inside of the search: the last kind of node, in which the division, the micro-batch and the way to run it are
// settled, and the place of the groups, the pipeline and the sharding are open. Its strategies are priced.
#pragma once

#include "core/search/explored_plan.h"

namespace stratoplan::search {

void openLeaves(ExploredPlan& plan, Opening& opening);

} // namespace stratoplan::search
