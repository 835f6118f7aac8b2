// SPDX-License-Identifier: Apache-2.0
// Inside of the search: strategies that wait for their simulation.
#pragma once

#include "core/search/explored_plan.h"

#include <utility>
#include <vector>

namespace stratoplan::search {

/// Of one node.
class WaitingLeaves {
public:
    /// `bound`: of its value.
    void add(double bound, double peak, parallel::Strategy strategy)
    {
        m_leaves.push_back({bound, peak, std::move(strategy)});
    }
    /// The most promising first: most of the others then need no simulation.
    void simulate(ExploredPlan& plan, Opening& opening);

private:
    struct Leaf {
        double bound = 0;
        double peak = 0;
        parallel::Strategy strategy;
    };
    std::vector<Leaf> m_leaves;
};

} // namespace stratoplan::search
