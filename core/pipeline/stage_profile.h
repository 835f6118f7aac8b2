// SPDX-License-Identifier: Apache-2.0
// What each stage of a pipeline does in a step, and what of its communication holds it up: the accurate profile of a
// stage, with its gradient reduction and its boundary transfers, that Alpa's leaves out (domain of the timing pass;
// Zheng et al., arXiv 2201.12023).
#pragma once

#include "core/pipeline/pipeline.h"
#include "core/pipeline/timing_pass.h"

#include <vector>

namespace stratoplan::pipeline {

/// Seconds of one step. forward + backward + recompute + weightGradient + gradientSyncExposed + optimizer +
/// parameterGather + idle() = step.
struct StageProfile {
    Seconds forward{}; ///< here and below without what passes that run together hide of each other's traffic
    Seconds backward{}; ///< without recomputation, and without weight gradients where the schedule runs them apart
    Seconds recompute{};
    Seconds weightGradient{}; ///< where the schedule runs them apart
    Seconds optimizer{};
    Seconds parameterGather{}; ///< what no pass hides
    Seconds gradientSync{}; ///< what buckets behind the last backward pass do not hide
    Seconds gradientSyncExposed{}; ///< of it what no pass hides either
    Seconds transfers{}; ///< boundary transfers that it sends, one after the other
    Seconds resharding{}; ///< of what it receives, one after the other
    WaitSeconds waits{}; ///< its idle time by cause
    [[nodiscard]] Seconds idle() const;
    bool operator==(const StageProfile&) const = default;
};

/// `timeline` is simulate(work).
[[nodiscard]] std::vector<StageProfile> stageProfiles(const PipelineWork& work, const Timeline& timeline);

} // namespace stratoplan::pipeline
