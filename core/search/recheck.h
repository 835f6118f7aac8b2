// SPDX-License-Identifier: Apache-2.0
// The answer of a search in closed form, simulated. A closed form is never above the simulation, but how far below it
// lies depends on the runtime: it does not see transfers that wait for one another in a queue, nor reductions that
// begin inside the last backward pass.
#pragma once

#include "core/search/search.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace stratoplan::search {

/// Further from the simulation than this share, a closed form is no guide.
inline constexpr double kClosedFormIsNear = 0.03;

struct SimulatedStrategy {
    FoundStrategy found; ///< value, step and peak are simulated
    std::optional<Seconds> closedForm; ///< nothing where its schedule has none
    bool ofPlan = false; ///< that of the plan, which no search in closed form found
};

struct Recheck {
    std::vector<std::optional<Seconds>>
        front; ///< simulated steps, by place in the front of the result; nothing: not simulated
    std::optional<SimulatedStrategy> best; ///< the best of all that were simulated
    std::int64_t simulated = 0;
    double apart = 0; ///< of the best in closed form: simulated over closed form − 1
    [[nodiscard]] bool isDoubtful() const { return apart > kClosedFormIsNear; }
};

/// Simulates the front of a result in closed form, of equal strategies the first ones, and the plan's own strategy if
/// the space has it. Where that shows the closed form to be no guide and only the best was asked for, its front is
/// searched for and simulated too if the space is small; and from the best so far one dimension after the other is
/// changed as long as the simulated value falls.
[[nodiscard]] Recheck recheck(const plan::Plan& plan, const plan::SearchSpace& space, const SearchOptions& options,
    const SearchResult& result, const std::stop_token& stop = {});

} // namespace stratoplan::search
