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

/// The best with the tensor partition that the best of all does not have.
struct OtherPartition {
    parallel::TensorPartition partition{};
    std::optional<search::FoundStrategy> best{}; ///< nothing: no strategy with it fits, or that is not proven
    bool isProven = true;
    bool isStopped = false; ///< before its time was up
    Seconds time{}; ///< that it had
};

struct SearchAnswer {
    const plan::Plan& plan;
    const plan::SearchSpace& space;
    const search::SearchOptions& options;
    const search::SearchResult& result;
    std::optional<search::Why> why{}; ///< of the strategy that was asked about
    bool asksOwn = true; ///< the plan's
    std::vector<search::MarginalValue> marginal{};
    std::set<plan::Dimension> locks{}; ///< dimensions that a project keeps as its plan has them
    std::optional<search::Recheck> recheck{}; ///< of an answer in closed form
    std::vector<space::EmptyReason> empty{}; ///< why the space holds nothing
    std::optional<OtherPartition> otherPartition{}; ///< of a space that has both
    std::optional<search::FoundStrategy> fastest{}; ///< where nothing meets the deadline
};
/// Problems that no strategy can mend: a plan that has any cannot be searched.
[[nodiscard]] std::vector<plan::Problem> searchFaults(const plan::Plan& plan);
/// Adds "locks" and "empty", where there are any.
void addLocks(const std::set<plan::Dimension>& locks, nlohmann::ordered_json& json);
void addEmpty(const std::vector<space::EmptyReason>& reasons, nlohmann::ordered_json& json);
/// In a line; nothing where there are none.
[[nodiscard]] std::string lockWords(const std::set<plan::Dimension>& locks);

/// Whether its strategies differ in the tensor partition.
[[nodiscard]] bool variesPartition(const plan::SearchSpace& space);
/// A strategy in words, with its precision where that is not the plan's, and its tensor partition where the space has
/// several.
[[nodiscard]] std::string describeFound(const SearchAnswer& answer, const search::FoundStrategy& found);

[[nodiscard]] nlohmann::ordered_json toJson(const SearchAnswer& answer);
/// `front`: with the whole front, not only the best.
[[nodiscard]] std::string describe(const SearchAnswer& answer, bool front);

} // namespace stratoplan::cli
