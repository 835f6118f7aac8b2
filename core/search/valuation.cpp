// SPDX-License-Identifier: Apache-2.0
#include "core/search/valuation.h"

#include "core/estimate/range.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::search {

Valuation::Valuation(const plan::Plan& plan, const SearchOptions& options)
    : m_options(options)
    , m_plan(plan)
    , m_limit(largestMemory(plan.cluster).value() * (1 - options.headroom))
    , m_memoryShare(smallestMemory(plan.cluster) / largestMemory(plan.cluster))
{
    bool differs = false, known = true;
    for (const cluster::NodeGroup& group : plan.cluster.nodes) {
        if (!takesPart(group))
            continue;
        m_runs.push_back({group.count * group.acceleratorsPerNode, group.accelerator.watts});
        differs = differs || m_runs.back().power != m_runs.front().power;
        known = known && m_runs.back().power > 0;
    }
    if (!differs || !known)
        m_runs.clear();
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
    int left = rankCount(strategy);
    if (m_runs.empty())
        return left;
    double sum = 0;
    for (const Run& run : m_runs) {
        const int used = std::min(left, run.accelerators);
        sum += used * run.power;
        left -= used;
    }
    return sum / m_runs.front().power;
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
    return std::isfinite(step.value()) && step.value() > 0 && peak <= m_limit
        && (m_options.objective != plan::Objective::Deadline || step <= m_options.longestStep);
}

} // namespace stratoplan::search
