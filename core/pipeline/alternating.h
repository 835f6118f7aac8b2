// SPDX-License-Identifier: Apache-2.0
// The step of a pipeline whose stages run all passes in one order, forward first and then backward and forward in turn
// (1F1B, eager 1F1B, interleaved), over independent links; private to core/pipeline. Such a pipeline is a systolic
// array: laid out in rounds, each stage runs at most one forward and one backward pass a round, from what its
// neighbours have sent in the round before. So the state is a few times per stage, whatever the number of
// micro-batches, and where a period of rounds has moved all of it by the same time, every further one does.
#pragma once

#include "core/pipeline/pipeline.h"

#include <cstdint>
#include <optional>

namespace stratoplan::pipeline::detail {

/// Whether alternatingStep() knows the work: at least two stages, alike chunks, whole backward passes, independent
/// links, reductions after the passes.
[[nodiscard]] bool alternates(const PipelineWork& work);

/// Whether periods may be left out once the pipeline has settled. The sums are then others, and the last digits may be.
enum class Leap : std::uint8_t {
    Never,
    Long, ///< where at least two thirds of the passes are left out
};

struct AlternatingStep {
    double seconds = 0; ///< from one step to the next
    bool leapt = false;
};
/// As the engine (engine.h) finds it, to the last digit where nothing is left out. Nothing if it takes more than
/// `mostRounds`: as many as there are forward passes of a stage, and its warm-up. Preconditions: alternates(work),
/// runsThrough(work).
[[nodiscard]] std::optional<AlternatingStep> alternatingStep(
    const PipelineWork& work, Leap leap, double mostRounds = 1e300);

} // namespace stratoplan::pipeline::detail
