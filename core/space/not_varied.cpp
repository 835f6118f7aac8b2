// SPDX-License-Identifier: Apache-2.0
#include "core/space/not_varied.h"

#include "core/pricing/limits.h"

#include <algorithm>

namespace stratoplan::space {
namespace {

bool isOne(const plan::IntChoice& choice)
{
    return choice.isOne() && choice.allows(1);
}

} // namespace

bool leavesOutContextPartitions(const plan::SearchSpace& space, const plan::Plan& plan)
{
    using enum parallel::TensorPartition;
    const bool isAllowed =
        space.tensorPartitions.empty() || std::ranges::count(space.tensorPartitions, SpatialTemporal) > 0;
    if (!isAllowed || space.contextPartitions || isOne(space.cp) || isOne(space.tp)
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
    if (leavesOutContextPartitions(space, plan))
        fixed.push_back({plan::SpacePart::ContextPartitions, {}, plan::FixedReason::Unasked});
    return fixed;
}

} // namespace stratoplan::space
