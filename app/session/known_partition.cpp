// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/known_partition.h"

#include "core/estimate/estimate.h"
#include "core/estimate/partitions.h"
#include "core/partition/block.h"
#include "core/pricing/divided_layers.h"
#include "core/pricing/limits.h"

#include <algorithm>

namespace stratoplan::session {

namespace {

bool takesLong(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    return pricing::dividesLayers(s) && s.operatorPartitions.empty() && s.tp > pricing::kQuicklyDivided
        && !hasErrors(check(plan, {.remedies = false})) && estimate::notDivisible(plan).empty();
}

/// By Ulysses some partitions are impossible that are possible by a ring.
bool exchangeTheSame(const partition::BlockContext& a, const partition::BlockContext& b)
{
    return a.ranks == b.ranks && (a.ranks == 1 || a.method == b.method);
}

/// Whether what divides the layers of one of them divides those of the other.
bool divideTheSame(const plan::Plan& a, const plan::Plan& b)
{
    if (a.strategy.tp != b.strategy.tp)
        return false;
    const auto blockOf = [](const plan::Plan& plan) {
        return partition::block(plan, plan.model.moe.has_value(), plan.strategy.recompute);
    };
    const partition::Block first = blockOf(a), second = blockOf(b);
    const auto isSame = [](const partition::BlockOperator& x, const partition::BlockOperator& y) {
        return x.name == y.name && x.kind == y.kind && x.size == y.size;
    };
    return exchangeTheSame(first.context, second.context) && first.keyValueHeads == second.keyValueHeads
        && std::ranges::equal(first.operators, second.operators, isSame);
}

} // namespace

bool takeKnownPartition(plan::Plan& plan, const plan::Plan& known)
{
    if (!takesLong(plan))
        return true;
    const std::vector<parallel::OperatorPartition>& partitions = known.strategy.operatorPartitions;
    if (partitions.empty() || !divideTheSame(plan, known))
        return false;
    plan.strategy.operatorPartitions = partitions;
    return true;
}

plan::Plan withKnownPartition(plan::Plan plan, const std::stop_token& stop)
{
    if (!takesLong(plan))
        return plan;
    if (const auto found = estimate::estimate(plan, {.remedies = false, .waits = false, .range = false, .stop = stop}))
        plan.strategy = found->settled;
    return plan;
}

} // namespace stratoplan::session
