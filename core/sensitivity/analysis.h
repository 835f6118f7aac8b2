// SPDX-License-Identifier: Apache-2.0
// How sure a plan is, and how sure that it is better than another one: what its inputs may be is drawn a few hundred
// times, the same draw for all plans, so that what they share cancels. How draws and measured ranges go together is
// told in resources/docs/SENSITIVITY.md.
#pragma once

#include "core/sensitivity/residual.h"
#include "core/sensitivity/tornado.h"

#include <span>

namespace stratoplan::sensitivity {

/// Of the first plan against another, by draws: together 1. A plan that runs out of memory loses.
struct Chance {
    double wins = 0, ties = 0, losses = 0;
    /// That it is better, ties going either way.
    [[nodiscard]] double isBetter() const { return wins + ties / 2; }
};

struct Answer {
    estimate::Estimate estimate;
    Outcome base; ///< as estimated
    std::vector<Bar> bars; ///< of all uncertain inputs
    std::array<capacity::Spread, kMeasures.size()>
        ranges; ///< around the estimate, of draws that are priced; by measure
    double outOfMemory = 0; ///< share of the draws that are priced
    double cannotRun = 0; ///< share of all draws: those that have no estimate
    Residual step, peak; ///< that no input explains
    double likeness = 1; ///< correlation of its error with that of the first plan
    /// By measure: whether the first plan and this one both know it, in one currency; else what follows is 0.
    std::array<bool, kMeasures.size()> isCompared{};
    std::array<Chance, kMeasures.size()> against; ///< of the first plan against this one
    std::array<double, kMeasures.size()> best; ///< chance that none of the others is better; 0 unless all are compared
    std::vector<Outcome> drawn;
};

struct Analysis {
    std::vector<Answer> plans;
    double ofStep = 1, ofPeak = 1; ///< share of their ranges that inputs have kept
    std::size_t draws = 0; ///< that were made
    bool isStopped = false;
};

struct AnalysisOptions {
    int draws = 512;
    int threads = 0; ///< 0: as many as the machine has
    StatedRanges stated; ///< of any input of the first plan; they are not narrowed and widen what is measured
    Progress progress;
};

/// Why one of the plans has no estimate.
struct AnalysisFault {
    std::size_t plan = 0;
    Problems problems;
};

/// Precondition: at least one case, and draws >= 2. Stopped: what is known by then, no draws at the least.
[[nodiscard]] tl::expected<Analysis, AnalysisFault> analyse(
    std::span<const Case> cases, const AnalysisOptions& options = {}, const std::stop_token& stop = {});

} // namespace stratoplan::sensitivity
