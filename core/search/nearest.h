// SPDX-License-Identifier: Apache-2.0
// The way from a strategy to one that can be run.
#pragma once

#include "core/search/search.h"

#include <optional>
#include <stop_token>
#include <string>

namespace stratoplan {

struct NearStrategy {
    std::string change; ///< "ZeRO-1 instead of ZeRO-0; TP 8 and DP 2 instead of 4 and 4"
    int changes = 1;
    FoundStrategy found; ///< in the mode of the search
};

/// The best strategy of the space that is one change away, legal, and fits as the options ask. Where there is none and
/// `deep`, the best of as few changes as a search in steps finds: from the ones that need least memory and break fewest
/// rules, on and on. Nothing if that finds none, or is stopped.
[[nodiscard]] std::optional<NearStrategy> nearestThatFits(const Plan& plan, const SearchSpace& space,
    const SearchOptions& options, const Strategy& strategy, Precision precision, bool deep,
    const std::stop_token& stop = {});

} // namespace stratoplan
