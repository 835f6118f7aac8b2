// SPDX-License-Identifier: Apache-2.0
// How a search ends, what became of the strategies and why one lost, told to people.
#pragma once

#include "core/search/pair_fronts.h"
#include "core/search/search.h"
#include "core/search/why.h"

#include <string>
#include <string_view>

namespace stratoplan::narration {

[[nodiscard]] std::string_view describe(plan::Objective objective); // "the shortest step"
/// What the objective measures, before a share: "step", "accelerator-hours".
[[nodiscard]] std::string_view measuredBy(plan::Objective objective);
[[nodiscard]] std::string_view describe(search::FrontMeasure measure); // "throughput", "peak memory", …
[[nodiscard]] std::string_view describe(search::Resource resource); // "network bandwidth"

/// What became of strategies, after their number: "need more memory than there is", "were not reached".
[[nodiscard]] std::string_view describe(search::PruneRule rule);
[[nodiscard]] std::string_view priced(plan::SearchMode mode);
inline constexpr std::string_view kNotReached = "were not reached";

/// "proven: nothing among 1,234 strategies beats 3.21 s"
[[nodiscard]] std::string outcome(const search::SearchResult& result, const search::SearchOptions& options);

/// The strategy that is spoken of.
enum class Asked { PlansOwn, Other, It };
/// What binds it, in a sentence: "The plan's own strategy needs 3.2 GiB more than there is, on stage 0." Objections of
/// a framework follow, a line each.
[[nodiscard]] std::string describe(const search::Why& why, Asked asked, const search::SearchOptions& options,
    const std::optional<search::FoundStrategy>& best);
/// "one change away", "3 changes away"
[[nodiscard]] std::string away(const search::NearStrategy& nearest);

/// "10.0 % more memory", "2 times the nodes"
[[nodiscard]] std::string describe(const search::MarginalValue& value);
inline constexpr std::string_view kNoneFits = "none fits";
/// The step of a strategy that was priced anew, or why it has none: "does not fit".
[[nodiscard]] std::string describe(const search::Rescored& rescored);

} // namespace stratoplan::narration
