// SPDX-License-Identifier: Apache-2.0
#include "core/search/valuation.h"

#include "core/cluster/node_kinds.h"
#include "core/estimate/range.h"

#include <cmath>

namespace stratoplan::search {

Valuation::Valuation(const plan::Plan& plan, const SearchOptions& options)
    : m_options(options)
    , m_plan(plan)
    , m_limit(largestMemory(plan.cluster).value() * (1 - options.headroom))
    , m_memoryShare(smallestMemory(plan.cluster) / largestMemory(plan.cluster))
{
    double first = 0;
    bool differs = false, known = true;
    for (const cluster::NodeGroup& group : plan.cluster.nodes) {
        if (!takesPart(group))
            continue;
        first = first > 0 ? first : group.accelerator.watts;
        differs = differs || group.accelerator.watts != first;
        known = known && group.accelerator.watts > 0;
    }
    m_watts = differs && known ? first : 0;
}

double Valuation::bound(Seconds step, const parallel::Strategy& strategy) const
{
    switch (m_options.objective) {
    case plan::Objective::TokensPerCost:
        return step.value() * rankCount(strategy);
    case plan::Objective::TokensPerEnergy:
        return step.value() * power(strategy);
    default:
        return step.value(); // the pessimistic end of a range is not below the estimate
    }
}

double Valuation::power(const parallel::Strategy& strategy) const
{
    const int ranks = rankCount(strategy);
    return m_watts > 0 ? boardWatts(m_plan.cluster, ranks) / m_watts : ranks;
}

double Valuation::value(Seconds step, const parallel::Strategy& strategy)
{
    if (m_options.objective != plan::Objective::Robust)
        return bound(step, strategy);
    m_plan.strategy = strategy;
    return step.value() * m_options.evidence->times.range(m_plan).high;
}

bool Valuation::wants(Seconds step, double peak) const
{
    return std::isfinite(step.value()) && step.value() > 0 && peak <= m_limit && step <= m_options.limitOfStep();
}

} // namespace stratoplan::search
