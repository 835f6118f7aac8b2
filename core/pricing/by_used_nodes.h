// SPDX-License-Identifier: Apache-2.0
// What is kept of all nodes, and of those alone that strategies use which leave groups of them idle.
#pragma once

#include "core/cost/fleet.h"

#include <map>
#include <memory>

namespace stratoplan::pricing {

/// Of clusters of like nodes: on unlike ones a fleet tells machines apart by stage. In bounded memory.
template <class Thing>
class ByUsedNodes {
public:
    /// `whole` where idle nodes change nothing, else what `make` makes of the machine of those in use. Stays until it
    /// is asked again.
    template <class Make>
    [[nodiscard]] Thing& find(cost::Fleet& fleet, const parallel::Strategy& strategy, Thing& whole, Make make)
    {
        constexpr std::size_t kMost = 4;
        if (fleet.isUnlike())
            return whole;
        const cost::StageMachine& used = fleet.whole(strategy);
        if (&used == &fleet.whole())
            return whole;
        auto known = m_parts.find(used.number);
        if (known == m_parts.end()) {
            if (m_parts.size() >= kMost)
                m_parts.clear();
            known = m_parts.emplace(used.number, make(used)).first;
        }
        return *known->second;
    }

private:
    std::map<int, std::unique_ptr<Thing>> m_parts; ///< by the number of the machine
};

} // namespace stratoplan::pricing
