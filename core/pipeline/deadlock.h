// SPDX-License-Identifier: Apache-2.0
// Where an order of passes comes to a halt.
#pragma once

#include "core/pipeline/pipeline.h"

#include <vector>

namespace stratoplan::pipeline {

/// A stage, and the pass that it cannot begin.
struct StuckPass {
    int stage = 0;
    PipelineStep pass;
    bool operator==(const StuckPass&) const = default;
};

/// Passes that wait for each other for ever: each for its stage's neighbour in the list, the last for the first; one
/// alone waits for what its own stage would run later. Empty where the order runs through.
[[nodiscard]] std::vector<StuckPass> deadlock(const PipelineWork& work);

} // namespace stratoplan::pipeline
