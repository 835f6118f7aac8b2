// SPDX-License-Identifier: Apache-2.0
// Makes the evidence of core/estimate/evidence.h from measured cases: constants are fitted without each case's group,
// and what they miss it by is its residual.
#pragma once

#include "core/estimate/evidence.h"
#include "core/validation/validation.h"

#include <functional>
#include <stop_token>
#include <vector>

namespace stratoplan::calibration {

/// Step times, then peaks of memory. Cases of unknown stacks are left out: they are priced by the nearest profile, and
/// say nothing of its own error; nor does the run to which a profile was set by hand. Of a profile with many step times
/// every n-th, in the order of what was run and of the residual, stands for n.
[[nodiscard]] std::vector<estimate::EvidenceRow> leftOutEvidence(const validation::CaseSet& cases,
    const std::vector<plan::SoftwareProfile>& priors, std::stop_token stop = {},
    const std::function<void(int done, int total)>& progress = {});

/// Sets who stands for whom.
void thin(std::vector<estimate::EvidenceRow>& rows);

} // namespace stratoplan::calibration
