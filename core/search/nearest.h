// SPDX-License-Identifier: Apache-2.0
// The way from a strategy to one that can be run.
#pragma once

#include "core/search/search.h"
#include "core/space/neighbours.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace stratoplan::search {

struct NearStrategy {
    std::vector<space::StrategyChange> changes; ///< one after the other
    FoundStrategy found; ///< in the mode of the search
};

/// The best strategy of the space that is one change away, legal, and fits as the options ask. Where there is none and
/// `deep`, the best of as few changes as a search in steps finds: from the ones that need least memory and break fewest
/// rules, on and on. Nothing if that finds none, or is stopped.
[[nodiscard]] std::optional<NearStrategy> nearestThatFits(const plan::Plan& plan, const plan::SearchSpace& space,
    const SearchOptions& options, const parallel::Strategy& strategy, model::Precision precision, bool deep,
    const std::stop_token& stop = {});

} // namespace stratoplan::search
