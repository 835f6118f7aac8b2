// SPDX-License-Identifier: Apache-2.0
// What a search space holds, leaves alone and lacks, and what tells strategies apart, told to people.
#pragma once

#include "core/plan/search_space.h"
#include "core/space/empty_space.h"
#include "core/space/membership.h"
#include "core/space/neighbours.h"

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::narration {

/// A part of a space and the reason for what is said of it: "schedule", "none of these has a closed form; …".
struct PartAndReason {
    std::string part;
    std::string reason;
};

/// `simulation`: what tries schedules without a closed form.
[[nodiscard]] PartAndReason describe(
    const plan::FixedDimension& fixed, std::string_view simulation = "a simulated search");
[[nodiscard]] PartAndReason describe(const space::EmptyReason& reason);

/// What a space does not have of a strategy: "TP 3", "schedule dualpipe, which has no closed form".
[[nodiscard]] std::string describe(const space::OutsideReason& reason);

/// "micro-batch 2 instead of 4"
[[nodiscard]] std::string describe(const space::StrategyChange& change);
/// "ZeRO-1 instead of ZeRO-0; TP 8 and DP 2 instead of 4 and 4"
[[nodiscard]] std::string describe(const std::vector<space::StrategyChange>& changes);

} // namespace stratoplan::narration
