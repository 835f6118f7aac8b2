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
    [[nodiscard]] double mostBytes() const { return m_limit; } ///< that a stage may hold, on the largest accelerators
    /// At most the peak that a strategy is valued by, which fills most of what its accelerators have, where some stage
    /// holds so much.
    [[nodiscard]] double leastPeak(double mostOfAnyStage) const { return mostOfAnyStage * m_memoryShare; }
    [[nodiscard]] model::Precision precision() const { return m_plan.training.precision; }

private:
    /// Of the ranks of a strategy, in watts of the first; as many as there are where some are not known.
    [[nodiscard]] double power(const parallel::Strategy& strategy) const;

    const SearchOptions& m_options;
    plan::Plan m_plan; ///< with the strategy that was valued last
    double m_limit = 0;
    double m_watts = 0; ///< of the first accelerator; 0: all draw the same, or some are not known
    double m_memoryShare = 1; ///< of the smallest accelerators over the largest
};

} // namespace stratoplan::search
