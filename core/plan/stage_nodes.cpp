// SPDX-License-Identifier: Apache-2.0
#include "core/plan/stage_nodes.h"

#include "core/cluster/node_kinds.h"
#include "core/parallel/placement.h"

#include <utility>

namespace stratoplan::plan {

std::vector<StageNodes> stageNodes(const Plan& plan)
{
    std::vector<StageNodes> all;
    if (plan.cluster.nodes.size() < 2 || !cluster::NodeKinds(plan.cluster).areUnlike())
        return all;
    for (int stage = 0; stage < plan.strategy.pp; ++stage) {
        std::vector<std::size_t> groups;
        int first = 0;
        for (std::size_t i = 0; i < plan.cluster.nodes.size(); ++i) {
            const cluster::NodeGroup& group = plan.cluster.nodes[i];
            const int count = takesPart(group) ? group.count * group.acceleratorsPerNode : 0;
            if (stageHasRanks(plan.strategy, stage, first, count))
                groups.push_back(i);
            first += count;
        }
        if (!all.empty() && all.back().groups == groups)
            all.back().last = stage;
        else
            all.push_back({stage, stage, std::move(groups)});
    }
    return all;
}

} // namespace stratoplan::plan
