// SPDX-License-Identifier: Apache-2.0
// A first plan for a model that came without one.
#pragma once

#include "core/catalog/catalog.h"
#include "core/plan/problem.h"

#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::exchange {

/// On the fewest DGX H100 (a power of two) whose memory holds the states of the model twice, or more where FSDP with
/// full recomputation, experts over eight ranks where they divide and one sequence a rank, does not fit: the fastest
/// strategy of the default space that the framework of its software profile runs, simulated; that FSDP where the search
/// finds none. `longestSequence` bounds the sequence of 4,096 tokens; 0 = not known. The same everywhere. Errors: the
/// rules of check() that the model itself breaks.
[[nodiscard]] tl::expected<plan::Plan, std::vector<plan::Problem>> startingPlan(
    const model::Transformer& model, int longestSequence, const catalog::Catalog& catalog);

} // namespace stratoplan::exchange
