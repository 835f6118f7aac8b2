// SPDX-License-Identifier: GPL-3.0-or-later
// Why a strategy is not the best, and what more of each resource is worth: for programs and for people.
#pragma once

#include "core/search/why.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace stratoplan::cli {

[[nodiscard]] nlohmann::ordered_json toJson(const search::Why& why);
[[nodiscard]] nlohmann::ordered_json toJson(const std::vector<search::MarginalValue>& values);
/// `best`: of the search; `ofPlan`: the strategy is the plan's.
[[nodiscard]] std::string describe(const search::Why& why, const search::SearchOptions& options,
    const std::optional<search::FoundStrategy>& best, bool ofPlan);
[[nodiscard]] std::string describe(const std::vector<search::MarginalValue>& values,
    const search::SearchOptions& options, const std::optional<search::FoundStrategy>& best);

} // namespace stratoplan::cli
