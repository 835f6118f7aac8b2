// SPDX-License-Identifier: GPL-3.0-or-later
// What a search says of itself, and the strategies it found as charts and tables take them. Pure functions of values.
#pragma once

#include "app/session/search_worker.h"
#include "core/estimate/estimate.h"
#include "widgets/panels/details_panel.h"
#include "widgets/presentation/strategy_set.h"

namespace stratoplan::gui {

/// Against `plan` and what its run costs. `fronts`: of the same request, or null.
[[nodiscard]] widgets::StrategySetPointer strategySet(const session::SearchPicture& picture, const plan::Plan& plan,
    const plan::CapacityInputs& run, const session::FrontsPicture* fronts = nullptr);
/// Whether the fronts of all measures follow from one of step, peak memory and GPUs used that the answer does not hold
/// yet.
[[nodiscard]] bool canFindFronts(const session::SearchPicture& picture);

/// "57 % of 31,704,948 strategies decided · 12.3 M/s · 4 s left · best so far 17.9 s, at most 3 % from the optimum",
/// "Proven: nothing among 31,704,948 strategies beats 17.9 s · simulated · 0.62 s".
[[nodiscard]] QString searchStatus(const session::SearchPicture& picture);
/// Of the work, between 0 and 1.
[[nodiscard]] double searchShare(const session::SearchPicture& picture);
/// The space and the objective in a few words, for the offer of the best: "31,704,948 strategies, simulated".
[[nodiscard]] QString searchScope(const session::SearchPicture& picture);

enum class VerdictKind { Running, Agrees, Differs, Stopped };
[[nodiscard]] VerdictKind verdictKind(const session::VerifyPicture& picture);
[[nodiscard]] QString verifyStatus(const session::VerifyPicture& picture);

/// How it was searched, what became of all strategies, what was not varied.
[[nodiscard]] widgets::DetailSections searchDetails(const session::SearchPicture& picture, const plan::Plan& plan);
/// A strategy that was found or tried in a space, against the plan.
[[nodiscard]] widgets::DetailSections strategyDetails(const widgets::StrategyPoint& strategy,
    const widgets::StrategySet& set, const plan::SearchSpace& space, const estimate::Estimate& estimate);
/// "peak 79.7 GiB of 80.0 GiB, 80 % range 76.1 GiB to 83.9 GiB: it may not fit"
[[nodiscard]] QString peakRangeText(const estimate::Estimate& estimate);
/// Why it lost to the best, and what more of each resource is worth to either.
[[nodiscard]] widgets::DetailSections whyDetails(const session::WhyAnswer& answer);

} // namespace stratoplan::gui
