// SPDX-License-Identifier: Apache-2.0
#include "core/search/waiting_leaves.h"

#include <algorithm>

namespace stratoplan::search {

void WaitingLeaves::simulate(ExploredPlan& plan, Opening& opening)
{
    std::stable_sort(m_leaves.begin(), m_leaves.end(), [](const Leaf& a, const Leaf& b) { return a.bound < b.bound; });
    for (const Leaf& leaf : m_leaves) {
        if (opening.isStopped())
            return;
        if (const auto rule = opening.against(PruneRule::ClosedFormBound, leaf.bound, leaf.peak)) {
            opening.drop(*rule, 1);
            continue;
        }
        opening.countEvaluated();
        if (const auto priced = price(plan.pricing, leaf.strategy, pricing::PipelineTime::Simulated))
            record(plan, opening, priced->step, leaf.peak, leaf.strategy);
    }
}

} // namespace stratoplan::search
