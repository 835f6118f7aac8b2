// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/accelerator_runs.h"

namespace stratoplan::cluster {

std::vector<AcceleratorRun> acceleratorRuns(const Cluster& cluster)
{
    std::vector<AcceleratorRun> runs;
    int first = 0;
    for (const NodeGroup& group : cluster.nodes) {
        runs.push_back({first, takesPart(group) ? group.count * group.acceleratorsPerNode : 0});
        first += runs.back().count;
    }
    return runs;
}

} // namespace stratoplan::cluster
