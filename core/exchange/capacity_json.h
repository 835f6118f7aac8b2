// SPDX-License-Identifier: Apache-2.0
// The inputs of the whole run as a JSON value, "capacity" of a plan or a project.
#pragma once

#include "core/plan/capacity_inputs.h"

#include <nlohmann/json_fwd.hpp>

namespace stratoplan::exchange {

/// Precondition: `json` has passed the schema.
[[nodiscard]] plan::CapacityInputs parseCapacity(const nlohmann::json& json);
/// What is as it is where nothing is said is left out.
[[nodiscard]] nlohmann::ordered_json toJson(const plan::CapacityInputs& inputs);

} // namespace stratoplan::exchange
