// SPDX-License-Identifier: Apache-2.0
// Inside of the pricing: the programmes over partitions of the layers of many strategies of one plan.
#pragma once

#include "core/pricing/best_partition.h"
#include "core/pricing/settled_plan.h"

#include <array>
#include <map>
#include <utility>

namespace stratoplan::pricing {

class PlanProgrammes {
public:
    struct LeastLayer {
        partition::LeastCompute compute;
        partition::BlockContext context;
    };
    /// Refers to it.
    explicit PlanProgrammes(const cost::Machine& machine)
        : m_machine(machine)
    {
    }
    /// That strategies share whose layers and groups are alike, spread over the plan's micro-batches. Stays until some
    /// are forgotten.
    [[nodiscard]] PlanProgramme& programme(const SettledPlan& settled);
    /// A layer's passes, divided as fast as can be.
    [[nodiscard]] Seconds fastest(const SettledPlan& settled);
    /// No more than that, and sooner known.
    [[nodiscard]] Seconds leastFastest(const SettledPlan& settled);
    /// What the operators of a layer's block compute at the least, wherever its group is (partition::leastCompute()).
    [[nodiscard]] const LeastLayer& leastCompute(const plan::Plan& plan);
    void forgetTooMany();

private:
    using Key = std::array<int, 8 + 2 * cluster::kNumbersOfSpan>;
    [[nodiscard]] Key key(const SettledPlan& settled) const;

    const cost::Machine& m_machine;
    partition::KnownGroups m_groups;
    std::map<Key, PlanProgramme> m_programmes;
    std::map<std::pair<Key, int>, Seconds> m_fastest; ///< by micro-batches, too
    std::map<Key, Seconds> m_leastFastest;
    std::map<std::array<int, 7>, LeastLayer> m_leastCompute; ///< by what no place of the group changes
    std::map<int, std::vector<partition::LinearTraffic>> m_cuts; ///< by bits
};

} // namespace stratoplan::pricing
