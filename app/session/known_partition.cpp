// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/known_partition.h"

#include "core/estimate/estimate.h"
#include "core/estimate/partitions.h"
#include "core/pricing/divided_layers.h"
#include "core/pricing/limits.h"

namespace stratoplan::session {

namespace {

bool takesLong(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    return pricing::dividesLayers(s) && s.operatorPartitions.empty() && s.tp > pricing::kQuicklyDivided
        && !hasErrors(check(plan, {.remedies = false})) && estimate::notDivisible(plan).empty();
}

} // namespace

bool takeKnownPartition(plan::Plan& plan, const parallel::Strategy& known)
{
    parallel::Strategy& s = plan.strategy;
    if (!takesLong(plan))
        return true;
    if (s.tp != known.tp || s.microBatch != known.microBatch)
        return false;
    s.operatorPartitions = known.operatorPartitions;
    return !s.operatorPartitions.empty();
}

parallel::Strategy withKnownPartition(const plan::Plan& plan)
{
    if (!takesLong(plan))
        return plan.strategy;
    const auto found = estimate::estimate(plan, {.remedies = false, .range = false});
    return found ? found->settled : plan.strategy;
}

} // namespace stratoplan::session
