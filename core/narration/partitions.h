// SPDX-License-Identifier: Apache-2.0
// How the search for the best partition of a layer goes on, told to people.
#pragma once

#include "core/estimate/partitions.h"

#include <string_view>

namespace stratoplan::narration {

[[nodiscard]] std::string_view describe(estimate::PartitionPhase phase); // "Finding the best partition"

} // namespace stratoplan::narration
