// SPDX-License-Identifier: Apache-2.0
#include "core/space/not_varied.h"

#include "core/pricing/limits.h"

#include <algorithm>

namespace stratoplan::space {
namespace {

bool leavesOutContextPartitions(const plan::SearchSpace& space, plan::Plan plan)
{
    using enum parallel::TensorPartition;
    const plan::IntChoice none = plan::IntChoice::just(1);
    const bool isAllowed =
        space.tensorPartitions.empty() || std::ranges::count(space.tensorPartitions, SpatialTemporal) > 0;
    if (!isAllowed || space.contextPartitions || space.cp == none || space.tp == none
        || space.framework != plan::TargetFramework::Any) // none has such a partition
        return false;
    plan.strategy = {};
    plan.strategy.tp = 2;
    plan.strategy.tensorPartition = SpatialTemporal;
    return pricing::notEstimable(plan).empty();
}

} // namespace

std::vector<plan::FixedDimension> notVaried(
    const plan::SearchSpace& space, const plan::Plan& plan, plan::SearchMode mode)
{
    std::vector<plan::FixedDimension> fixed = fixedDimensions(space, plan, mode);
    if (leavesOutContextPartitions(space, plan))
        fixed.push_back({plan::SpacePart::ContextPartitions, {}, plan::FixedReason::Unasked});
    return fixed;
}

} // namespace stratoplan::space
