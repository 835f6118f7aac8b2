// SPDX-License-Identifier: Apache-2.0
// Which nodes the stages of a pipeline run on, where these are unlike.
#pragma once

#include "core/plan/plan.h"

#include <cstddef>
#include <vector>

namespace stratoplan::plan {

/// Stages one after the other that run on the same groups of nodes.
struct StageNodes {
    int first = 0, last = 0;
    std::vector<std::size_t> groups; ///< by place in the cluster
    bool operator==(const StageNodes&) const = default;
};
/// All stages, in order; none where all nodes that ranks lie on are of one kind.
[[nodiscard]] std::vector<StageNodes> stageNodes(const Plan& plan);

} // namespace stratoplan::plan
