// SPDX-License-Identifier: Apache-2.0
// Makes the software profiles that ship: priors (resources/catalog/software_priors.json) fitted to the measured cases.
#pragma once

#include "core/calibration/calibration.h"

namespace stratoplan {

inline constexpr int kFewestRows = 10; ///< a profile with fewer measured rows keeps its priors

struct FittedProfile {
    SoftwareProfile profile;
    int timeRows = 0;
    int memoryRows = 0;
    Calibration time;   ///< meaningful if timeRows >= kFewestRows
    Calibration memory; ///< meaningful if memoryRows >= kFewestRows
};

/// One entry per prior, in its order. A run is fitted with the prior whose id its plan's software has. Constants are
/// rounded to four significant digits of the unit that is written, so that the catalogue's text is the whole truth. Rows are left out by model shape.
[[nodiscard]] std::vector<FittedProfile> fitProfiles(const std::vector<SoftwareProfile>& priors, const std::vector<MeasuredRun>& runs,
                                                     std::stop_token stop = {});

} // namespace stratoplan
