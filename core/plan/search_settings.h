// SPDX-License-Identifier: Apache-2.0
// What a person asks of a search, saved with a project: which space, what is best, how a step is timed, what is locked.
// Locks name dimensions, not values: a search keeps what the plan has there.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/plan/framework.h"
#include "core/units/quantity.h" // after these: Qt's moc cannot read <compare> as the first of the standard's headers

namespace stratoplan::plan {

struct Plan;
struct SearchSpace;

enum class SearchMode {
    ClosedForm, ///< exact for pipelineSeconds(), over the schedules whose value it is: not V-shaped or two-way ones
    Simulated, ///< exact for makespan(), what estimate() says
};
[[nodiscard]] std::string_view key(SearchMode mode); // "closed-form", "simulated"
[[nodiscard]] std::optional<SearchMode> searchModeFromKey(std::string_view key);

enum class Objective {
    Throughput, ///< shortest step
    TokensPerCost, ///< least accelerator-hours: most tokens per dollar, at one price per hour of an accelerator in use
    TokensPerEnergy, ///< least board energy of those in use: most tokens per joule
    Deadline, ///< a step no longer than `longestStep`, on as few accelerators as can be
    SmallestCluster, ///< whatever fits on as few accelerators as can be
    Robust, ///< shortest step at the pessimistic end of its range
};
[[nodiscard]] std::string_view key(Objective objective); // "throughput", "tokens-per-dollar", …
[[nodiscard]] std::optional<Objective> objectiveFromKey(std::string_view key);
/// What it makes small is the number of accelerators.
[[nodiscard]] inline bool countsAccelerators(Objective objective)
{
    return objective == Objective::Deadline || objective == Objective::SmallestCluster;
}

enum class Dimension; // core/plan/search_space.h

struct SearchSettings {
    std::string space = "default"; ///< by name: "default", "calculon", "whole"
    SearchMode mode = SearchMode::Simulated;
    Objective objective = Objective::Throughput;
    double headroom = 0; ///< share of an accelerator's memory that stays free
    Seconds longestStep{}; ///< of Objective::Deadline
    std::set<Dimension> locks{};
    TargetFramework framework = TargetFramework::Any; ///< that has to run the strategies; Any: as the space says
    bool operator==(const SearchSettings&) const = default;
};

/// The space with the locked dimensions at what the plan has.
[[nodiscard]] SearchSpace withLocks(SearchSpace space, const std::set<Dimension>& locks, const Plan& plan);

/// The space that these settings mean for a plan: by its name, the locks applied, and fewer accelerators where the
/// objective is to use as few as can be. The default space where the name is none.
[[nodiscard]] SearchSpace spaceOf(const SearchSettings& settings, const Plan& plan);
/// The same for another space than that by name.
[[nodiscard]] SearchSpace spaceFor(const SearchSettings& settings, SearchSpace space, const Plan& plan);

} // namespace stratoplan::plan
