// SPDX-License-Identifier: Apache-2.0
// Inside of the search: the node of a micro-batch. Below it are the ways to run it, of each division of the experts.
#pragma once

#include "core/search/explored_plan.h"

namespace stratoplan::search {

void openPasses(ExploredPlan& plan, Opening& opening);

} // namespace stratoplan::search
