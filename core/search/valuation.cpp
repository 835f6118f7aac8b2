// SPDX-License-Identifier: Apache-2.0
#include "core/search/valuation.h"

#include "core/estimate/range.h"

#include <cmath>

namespace stratoplan::search {

Valuation::Valuation(const plan::Plan& plan, const SearchOptions& options)
    : m_options(options)
    , m_plan(plan)
    , m_limit(smallestMemory(plan.cluster).value() * (1 - options.headroom))
{
}

double Valuation::bound(Seconds step, const parallel::Strategy& strategy) const
{
    switch (m_options.objective) {
    case plan::Objective::TokensPerCost:
    case plan::Objective::TokensPerEnergy: // accelerators of one kind draw the same power
        return step.value() * rankCount(strategy);
    default:
        return step.value(); // the pessimistic end of a range is not below the estimate
    }
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
