// SPDX-License-Identifier: Apache-2.0
// Whether the 80 % range of an estimate holds 80 % of what was measured: every case is left out with its whole group,
// of the fit and of the evidence that its range comes from.
#pragma once

#include "core/estimate/evidence.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace stratoplan::validation {

/// Of the cases of one family (a source's cases with one software profile).
struct FamilyCoverage {
    std::string family; ///< "nemo with nemo"
    int n = 0;
    double byGroup = 0; ///< share of cases inside the range, their model shape left out
    double bySource = 0; ///< the same with everything that their source says of the software left out
    double width = 0; ///< high / low - 1 with the model shape left out, mean
};

/// Whether the range of each case holds what was measured, its group left out; by id.
[[nodiscard]] std::map<std::string, bool> heldByRange(
    std::span<const estimate::EvidenceRow> evidence, estimate::Measure measure = estimate::Measure::StepTime);

struct RangeCoverage {
    FamilyCoverage overall;
    std::vector<FamilyCoverage> families; ///< by name
};
[[nodiscard]] RangeCoverage rangeCoverage(
    std::span<const estimate::EvidenceRow> evidence, estimate::Measure measure = estimate::Measure::StepTime);

} // namespace stratoplan::validation
