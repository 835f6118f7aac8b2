// SPDX-License-Identifier: Apache-2.0
// The whole run as JSON, with the keys that the command line promises.
#pragma once

#include "core/capacity/capacity.h"

#include <nlohmann/json_fwd.hpp>

namespace stratoplan::exchange {

/// What nothing here knows is null, with the reason: a guess would be taken for an answer.
[[nodiscard]] nlohmann::ordered_json toJson(const plan::Plan& plan, const capacity::Capacity& c,
    const plan::CapacityInputs& inputs, const estimate::Estimate& estimate);

} // namespace stratoplan::exchange
