// SPDX-License-Identifier: Apache-2.0
// What a search of a space leaves as it is.
#pragma once

#include "core/plan/search_settings.h"
#include "core/plan/search_space.h"

#include <vector>

namespace stratoplan::space {

/// Whether it could have spatial-temporal partitions beside context parallelism, and has them without it alone.
[[nodiscard]] bool leavesOutContextPartitions(const plan::SearchSpace& space, const plan::Plan& plan);

/// plan::fixedDimensions(), and spatial-temporal partitions on unlike nodes, or beside context parallelism, where the
/// space could have them.
[[nodiscard]] std::vector<plan::FixedDimension> notVaried(
    const plan::SearchSpace& space, const plan::Plan& plan, plan::SearchMode mode);

} // namespace stratoplan::space
