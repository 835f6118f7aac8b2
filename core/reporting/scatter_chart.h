// SPDX-License-Identifier: Apache-2.0
// Estimates over measurements as an SVG.
#pragma once

#include "core/validation/report.h"

#include <string>
#include <vector>

namespace stratoplan::reporting {

/// On logarithmic axes, with the line of no error and a band of ten per cent. `unit`: "s" or "GiB".
[[nodiscard]] std::string scatterSvg(
    const std::string& title, const std::vector<validation::ReportPoint>& points, const std::string& unit);

} // namespace stratoplan::reporting
