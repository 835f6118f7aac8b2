// SPDX-License-Identifier: Apache-2.0
// Which accelerators each group of nodes has: ranks take those of the groups in their order.
#pragma once

#include "core/cluster/cluster.h"

#include <vector>

namespace stratoplan::cluster {

struct AcceleratorRun {
    int first = 0;
    int count = 0; ///< 0: the group takes no part
};

/// Of each group of nodes, by place.
[[nodiscard]] std::vector<AcceleratorRun> acceleratorRuns(const Cluster& cluster);

} // namespace stratoplan::cluster
