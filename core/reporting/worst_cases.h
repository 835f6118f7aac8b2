// SPDX-License-Identifier: Apache-2.0
// Why a measured case lies far from its estimate, told to people.
#pragma once

#include "core/validation/report.h"

#include <string>

namespace stratoplan::reporting {

/// "Measured twice: 10.0 s here, 12.0 s in b/1."
[[nodiscard]] std::string describe(const validation::Contradiction& contradiction);
/// Empty if none is known.
[[nodiscard]] std::string likelyReason(const validation::WorstCase& worst);

} // namespace stratoplan::reporting
