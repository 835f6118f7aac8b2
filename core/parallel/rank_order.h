// SPDX-License-Identifier: Apache-2.0
// What of a rank order matters to a strategy.
#pragma once

#include "core/parallel/strategy.h"

#include <vector>

namespace stratoplan::parallel {

using RankOrder = std::vector<Axis>; ///< innermost first

/// Ranks that a strategy divides something over along an axis. EP takes its ranks from those of DP and CP.
[[nodiscard]] int degree(const Strategy& strategy, Axis axis);

/// One bit per axis that a strategy divides something over.
[[nodiscard]] unsigned axesInUse(const Strategy& strategy);

/// All of an order that groups of ranks can depend on: the order of the axes that take ranks, and on which side of the
/// replicas experts lie. Equal for orders that put every group in the same place.
[[nodiscard]] std::vector<int> orderSeen(const RankOrder& order, unsigned axes);

} // namespace stratoplan::parallel
