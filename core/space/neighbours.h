// SPDX-License-Identifier: Apache-2.0
// Strategies that differ in one dimension.
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <vector>

namespace stratoplan {

/// A strategy, and what tells it from another one: "micro-batch 2 instead of 4".
struct Neighbour {
    std::string change;
    Strategy strategy;
};

/// Every strategy that differs in one dimension, legal or not; moving ranks from one degree to another counts as one,
/// and so does a degree that the replicas make room for.
[[nodiscard]] std::vector<Neighbour> neighbours(const Plan& plan, const Strategy& strategy);

} // namespace stratoplan
