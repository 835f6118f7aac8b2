// SPDX-License-Identifier: GPL-3.0-or-later
// The whole run as text for people and as JSON.
#pragma once

#include "core/capacity/capacity.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace stratoplan::cli {

[[nodiscard]] std::string describeCapacity(
    const plan::Plan& plan, const capacity::Capacity& c, const plan::CapacityInputs& inputs);
/// What was not stated, each with its source.
[[nodiscard]] std::string describeAssumptions(const std::vector<capacity::Assumption>& assumed);
/// What nothing here knows is null, with the reason: a guess would be taken for an answer.
[[nodiscard]] nlohmann::ordered_json capacityJson(const plan::Plan& plan, const capacity::Capacity& c,
    const plan::CapacityInputs& inputs, const estimate::Estimate& estimate);

} // namespace stratoplan::cli
