// SPDX-License-Identifier: Apache-2.0
// Prices known strategies again for a plan that has changed: what a front is worth now, at once, before a search has
// looked for a better one. Its numbers are those that a search of the same options gives to these strategies.
#pragma once

#include "core/search/search.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace stratoplan::search {

/// What has become of a strategy.
enum class Standing {
    Fits,
    OutOfMemory,
    MissesDeadline,
    NoClosedForm, ///< its schedule has only a bound in closed form, which is what the options ask for
    Illegal, ///< it breaks a rule of the changed plan, or cannot be estimated
    NotPriced, ///< stopped before its turn
};
[[nodiscard]] std::string_view key(Standing standing); // "fits", "out_of_memory", "misses_deadline", …

struct Rescored {
    FoundStrategy found; ///< as it was given, with value, step and peak of now; 0 where it was not priced
    Standing standing = Standing::NotPriced;
    bool onFront = false; ///< fits, and none of the others beats it
    bool operator==(const Rescored&) const = default;
};

struct RescoreResult {
    std::vector<Rescored> strategies; ///< in the order they were given
    std::vector<FoundStrategy> front; ///< of those that fit, by rising peak; with FrontKind::Best its end alone
    std::optional<FoundStrategy> best;
    bool complete = false; ///< false: stopped
};

/// A few microseconds per strategy in closed form and about a millisecond simulated, on options.threads threads; each
/// takes no notice of the others. Stops after the strategies it is at. Precondition: as of search().
[[nodiscard]] RescoreResult rescore(const plan::Plan& plan, const std::vector<FoundStrategy>& strategies,
    const SearchOptions& options = {}, const std::stop_token& stop = {});

} // namespace stratoplan::search
