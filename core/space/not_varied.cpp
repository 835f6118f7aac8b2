// SPDX-License-Identifier: Apache-2.0
#include "core/space/not_varied.h"

#include "core/cluster/node_kinds.h"
#include "core/pricing/limits.h"
#include "core/space/space_scope.h"

#include <algorithm>

namespace stratoplan::space {
namespace {

bool allowsPartitions(const plan::SearchSpace& space)
{
    return space.tensorPartitions.empty()
        || std::ranges::count(space.tensorPartitions, parallel::TensorPartition::SpatialTemporal) > 0;
}

/// Whether ranks of the space may divide layers beside context parallelism, were it asked to try that.
bool mayDivideBesideContext(const plan::SearchSpace& space, const plan::Plan& plan)
{
    const int ranks = acceleratorCount(plan.cluster);
    for (int tp = 2; tp <= pricing::kQuicklyDivided; tp *= 2)
        for (int cp = 2; space.tp.allows(tp) && cp <= ranks / tp; ++cp)
            if (space.cp.allows(cp) && searchesDivision(tp, cp, plan.training.sequenceLength))
                return true;
    return false;
}

} // namespace

bool leavesOutContextPartitions(const plan::SearchSpace& space, const plan::Plan& plan)
{
    using enum parallel::TensorPartition;
    if (!allowsPartitions(space) || cluster::NodeKinds(plan.cluster).areUnlike() || space.contextPartitions
        || !mayDivideBesideContext(space, plan)
        || space.framework != plan::TargetFramework::Any) // none has such a partition
        return false;
    plan::Plan divided = plan;
    divided.strategy = {};
    divided.strategy.tp = 2;
    divided.strategy.tensorPartition = SpatialTemporal;
    return pricing::notEstimable(divided).empty();
}

std::vector<plan::FixedDimension> notVaried(
    const plan::SearchSpace& space, const plan::Plan& plan, plan::SearchMode mode)
{
    std::vector<plan::FixedDimension> fixed = fixedDimensions(space, plan, mode);
    if (allowsPartitions(space) && cluster::NodeKinds(plan.cluster).areUnlike())
        fixed.push_back({plan::SpacePart::Partitions, {}, plan::FixedReason::UnlikeNodes});
    if (leavesOutContextPartitions(space, plan))
        fixed.push_back({plan::SpacePart::ContextPartitions, {}, plan::FixedReason::Unasked});
    return fixed;
}

} // namespace stratoplan::space
