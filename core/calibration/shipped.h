// SPDX-License-Identifier: Apache-2.0
// Makes the software profiles that ship: priors (resources/catalog/software_priors.json) fitted to the measured cases.
#pragma once

#include "core/calibration/calibration.h"

#include <functional>

namespace stratoplan {

inline constexpr int kFewestRows = 10; ///< a profile with fewer measured rows keeps its priors

struct FittedProfile {
    SoftwareProfile profile;
    int timeRows = 0;
    int memoryRows = 0;
    Calibration time;   ///< meaningful if timeRows >= kFewestRows
    Calibration memory; ///< meaningful if memoryRows >= kFewestRows
};

/// One entry per profile of `priors.software`, in its order; constants rounded to four significant digits, so that the
/// catalogue's text is the whole truth. Rows are left out by model shape. Error: the cases cannot be read.
[[nodiscard]] tl::expected<std::vector<FittedProfile>, std::string> fitProfiles(const Catalog& priors, std::string_view cases,
                                                                               std::stop_token stop = {});

} // namespace stratoplan
