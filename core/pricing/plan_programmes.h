// SPDX-License-Identifier: Apache-2.0
// Inside of the pricing: the programmes over partitions of the layers of many strategies of one plan.
#pragma once

#include "core/pricing/best_partition.h"
#include "core/pricing/settled_plan.h"

#include <array>
#include <map>

namespace stratoplan::pricing {

class PlanProgrammes {
public:
    /// Refers to it.
    explicit PlanProgrammes(const cost::Machine& machine)
        : m_machine(machine)
    {
    }
    /// That strategies share whose layers and groups are alike. Stays until some are forgotten.
    [[nodiscard]] PlanProgramme& programme(const SettledPlan& settled)
    {
        return programme(settled.plan, span(settled), settled.microBatches);
    }
    /// A layer's passes, divided as fast as can be.
    [[nodiscard]] Seconds fastest(const SettledPlan& settled)
    {
        return fastest(settled.plan, span(settled), settled.microBatches);
    }
    /// As LayerDivision.
    [[nodiscard]] Seconds fastest(const plan::Plan& plan, const cluster::Span& group, int microBatches);
    /// What the operators of a layer's block compute at the least, wherever its group is (partition::leastCompute()).
    [[nodiscard]] Seconds leastCompute(const plan::Plan& plan);
    void forgetTooMany();

private:
    using Key = std::array<int, 12>;
    [[nodiscard]] cluster::Span span(const SettledPlan& settled) const
    {
        return tensorSpan(settled.plan.strategy, m_machine.topology);
    }
    [[nodiscard]] PlanProgramme& programme(const plan::Plan& plan, const cluster::Span& group, int microBatches);

    const cost::Machine& m_machine;
    std::map<Key, PlanProgramme> m_programmes;
    std::map<Key, Seconds> m_fastest;
    std::map<std::array<int, 5>, Seconds> m_leastCompute; ///< by what no place of the group changes
    std::map<int, std::vector<partition::LinearTraffic>> m_cuts; ///< by bits
};

} // namespace stratoplan::pricing
