// SPDX-License-Identifier: GPL-3.0-or-later
// The answer of a search, for programs and for people.
#pragma once

#include "core/search/recheck.h"
#include "core/search/search.h"
#include "core/search/why.h"
#include "core/space/empty_space.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stratoplan::cli {

struct SearchAnswer {
    const Plan& plan;
    const SearchSpace& space;
    const SearchOptions& options;
    const SearchResult& result;
    std::optional<Why> why{}; ///< of the strategy that was asked about
    bool asksOwn = true; ///< the plan's
    std::vector<MarginalValue> marginal{};
    std::set<Dimension> locks{}; ///< dimensions that a project keeps as its plan has them
    std::optional<Recheck> recheck{}; ///< of an answer in closed form
    std::vector<EmptyReason> empty{}; ///< why the space holds nothing
    std::optional<FoundStrategy> fastest{}; ///< where nothing meets the deadline
};
/// The plan with a strategy that was found.
[[nodiscard]] Plan planWith(const Plan& plan, const FoundStrategy& found);

/// The strategy in words, with its precision where that is not the plan's.
[[nodiscard]] std::string describeFound(const Plan& plan, const FoundStrategy& found);

[[nodiscard]] nlohmann::ordered_json toJson(const SearchAnswer& answer);
/// `front`: with the whole front, not only the best.
[[nodiscard]] std::string describe(const SearchAnswer& answer, bool front);

} // namespace stratoplan::cli
