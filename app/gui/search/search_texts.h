// SPDX-License-Identifier: GPL-3.0-or-later
// What a search says of itself, and the strategies it found as charts and tables take them. Pure functions of values.
#pragma once

#include "app/session/search_worker.h"
#include "core/estimate/estimate.h"
#include "widgets/panels/details_panel.h"
#include "widgets/presentation/strategy_set.h"

namespace stratoplan {

/// Against `plan` and what its run costs. `fronts`: of the same request, or null.
[[nodiscard]] StrategySetPointer strategySet(
    const SearchPicture& picture, const Plan& plan, const CapacityInputs& run, const FrontsPicture* fronts = nullptr);
/// Whether the fronts of all measures follow from one of step, peak memory and GPUs used that the answer does not hold
/// yet.
[[nodiscard]] bool canFindFronts(const SearchPicture& picture);

/// "57 % of 31,704,948 strategies decided · 12.3 M/s · 4 s left · best so far 17.9 s, at most 3 % from the optimum",
/// "Proven: nothing among 31,704,948 strategies beats 17.9 s · simulated · 0.62 s".
[[nodiscard]] QString searchStatus(const SearchPicture& picture);
/// Of the work, between 0 and 1.
[[nodiscard]] double searchShare(const SearchPicture& picture);
/// The space and the objective in a few words, for the offer of the best: "31,704,948 strategies, simulated".
[[nodiscard]] QString searchScope(const SearchPicture& picture);

enum class VerdictKind { Running, Agrees, Differs, Stopped };
[[nodiscard]] VerdictKind verdictKind(const VerifyPicture& picture);
[[nodiscard]] QString verifyStatus(const VerifyPicture& picture);

/// How it was searched, what became of all strategies, what was not varied.
[[nodiscard]] DetailSections searchDetails(const SearchPicture& picture, const Plan& plan);
/// A strategy that was found or tried, against the plan.
[[nodiscard]] DetailSections strategyDetails(
    const StrategyPoint& strategy, const StrategySet& set, const Estimate& estimate);
/// "peak 79.7 GiB of 80.0 GiB, 80 % range 76.1 GiB to 83.9 GiB: it may not fit"
[[nodiscard]] QString peakRangeText(const Estimate& estimate);
/// Why it lost to the best, and what more of each resource is worth to either.
[[nodiscard]] DetailSections whyDetails(const WhyAnswer& answer);

} // namespace stratoplan
