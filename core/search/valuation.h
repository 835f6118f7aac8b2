// SPDX-License-Identifier: Apache-2.0
// Inside of the search: what it makes as small as it can, and which strategies it wants at all.
#pragma once

#include "core/search/search.h"

namespace stratoplan::search {

/// Of one plan. Refers to the options.
class Valuation {
public:
    Valuation(const plan::Plan& plan, const SearchOptions& options);

    /// Of the objective. Finding it may take longer than the bound.
    [[nodiscard]] double value(Seconds step, const parallel::Strategy& strategy);
    /// At most the value of the strategy at any step that is not shorter.
    [[nodiscard]] double bound(Seconds step, const parallel::Strategy& strategy) const;
    /// Whether a strategy has a step, fits, and meets the deadline.
    [[nodiscard]] bool wants(Seconds step, double peak) const;
    [[nodiscard]] double mostBytes() const { return m_limit; } ///< that a stage may hold
    [[nodiscard]] model::Precision precision() const { return m_plan.training.precision; }

private:
    const SearchOptions& m_options;
    plan::Plan m_plan; ///< with the strategy that was valued last
    double m_limit = 0;
};

} // namespace stratoplan::search
