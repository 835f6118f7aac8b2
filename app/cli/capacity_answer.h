// SPDX-License-Identifier: GPL-3.0-or-later
// The whole run as text for people.
#pragma once

#include "core/capacity/capacity.h"

#include <string>
#include <vector>

namespace stratoplan::cli {

[[nodiscard]] std::string describeCapacity(
    const plan::Plan& plan, const capacity::Capacity& c, const plan::CapacityInputs& inputs);
/// What was not stated, each with its source.
[[nodiscard]] std::string describeAssumptions(const std::vector<capacity::Assumption>& assumed);

} // namespace stratoplan::cli
