// SPDX-License-Identifier: Apache-2.0
// Whether "fits" holds: runs that are known to have run out of memory against those that were measured.
#pragma once

#include "core/validation/validation.h"

#include <string>
#include <vector>

namespace stratoplan::validation {

/// Of runs of one kind, those that the estimate says do not fit.
struct FitCount {
    int runs = 0;
    std::vector<std::string> toldToFit; ///< ids
    std::vector<std::string> toldNotToFit;
    [[nodiscard]] double refusedShare() const { return runs == 0 ? 0 : double(toldNotToFit.size()) / runs; }
};

/// The confusion matrix of "fits".
struct FitMatrix {
    FitCount certain; ///< ran out of memory: their model states alone exceed it
    FitCount likely; ///< crashed, most likely for want of memory
    FitCount measured; ///< ran
    std::vector<SkippedCase> skipped; ///< failures that were not estimated, or state none
    [[nodiscard]] int failures() const { return certain.runs + likely.runs; }
    /// Share of the failures that are told not to fit.
    [[nodiscard]] double caughtShare() const;
};

/// Whether it has a status "oom-certain" or "oom-likely".
[[nodiscard]] bool isFailure(const MeasuredCase& measured);

/// Of `failures`, a file's cases with a status "oom-certain" or "oom-likely", beside estimates of measured ones.
[[nodiscard]] FitMatrix fitMatrix(
    const Validation& measured, const CaseSet& failures, const std::stop_token& stop = {});

} // namespace stratoplan::validation
