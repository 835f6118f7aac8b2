// SPDX-License-Identifier: Apache-2.0
#include "core/plan/stage_nodes.h"

#include "core/cluster/accelerator_runs.h"
#include "core/cluster/node_kinds.h"
#include "core/parallel/placement.h"

#include <utility>

namespace stratoplan::plan {

std::vector<StageNodes> stageNodes(const Plan& plan)
{
    std::vector<StageNodes> all;
    if (plan.cluster.nodes.size() < 2
        || !cluster::NodeKinds(nodesOfRanks(plan.cluster, rankCount(plan.strategy))).areUnlike())
        return all;
    const std::vector<cluster::AcceleratorRun> runs = acceleratorRuns(plan.cluster);
    for (int stage = 0; stage < plan.strategy.pp; ++stage) {
        std::vector<std::size_t> groups;
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (stageHasRanks(plan.strategy, stage, runs[i].first, runs[i].count))
                groups.push_back(i);
        if (!all.empty() && all.back().groups == groups)
            all.back().last = stage;
        else
            all.push_back({stage, stage, std::move(groups)});
    }
    return all;
}

} // namespace stratoplan::plan
