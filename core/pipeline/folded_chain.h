// SPDX-License-Identifier: Apache-2.0
// A bound of a pipeline that is folded in the middle, so that a place in it has a chunk near either end of the model: a
// stage of a V, or a stage of a two-way pipeline with its mirror image, which hold the same two chunks. Put together
// place by place, from the ends to the middle, by additions and maxima that never fall in what is kept (as
// stage_chain.h does for one direction): pipelineSeconds(), the first input and then all work of a stage; the first
// gradient, which has been through the whole model once and back to the stage, and before which a stage runs no more
// forward passes than its program says; and the round trips through the whole model that the first place waits for,
// because it holds no more than so many micro-batches of its outer chunk at a time.
#pragma once

#include "core/pipeline/pipeline.h"

#include <array>
#include <limits>
#include <vector>

namespace stratoplan::pipeline {

struct FoldedRules {
    double microBatches = 1; ///< through each of the two chunks of a place
    bool staggers = false; ///< a stage begins the next step when it has ended its own part of this one
    bool twoWay = false;
    int places = 1;
    /// Forward passes of a stage through its outer and inner chunk before its first gradient, by stage.
    std::vector<std::array<double, 2>> ahead{};
    /// How often a forward pass through one chunk (outer, inner) runs together with a backward pass through one, by
    /// stage: 2 forward + backward.
    std::vector<std::array<double, 4>> together{};
    double trips = 0; ///< round trips within a step on top of the one that every micro-batch makes
    double between = 0; ///< forward passes of the first place that no trip covers
    bool operator==(const FoldedRules&) const = default;
};
/// Precondition: the schedule is V-shaped or two-way.
[[nodiscard]] FoldedRules foldedRules(const PipelineWork& work);
/// The same with what its stages run.
[[nodiscard]] FoldedRules foldedRules(const PipelineWork& work, const std::vector<StageProgram>& programs);

/// One stage of a place.
struct FoldedStage {
    int stage = 0;
    ChunkWork outer, inner;
    Seconds after{}; ///< once, after its last pass
};

/// A place, in seconds.
struct FoldedTerms {
    double down = 0; ///< forward through the outer chunk and on to the next place
    double up = 0; ///< forward through the inner chunk and back to the place before
    double gradient = 0; ///< through the inner chunk and on to the next place
    double first = 0; ///< forward through the outer chunk
    double last = 0; ///< gradient of its input, and on to the place before
    double work = 0; ///< all work of the busiest stage
    double rest = 0; ///< of it what cannot come before the first gradient
};
/// Of two stages that mirror each other what is less on the way, and the more of their own.
[[nodiscard]] FoldedTerms foldedTerms(const FoldedRules& rules, int place, const std::vector<FoldedStage>& stages);

/// The bound of the outermost places.
struct FoldedPrefix {
    double fill = 0; ///< until the next place can begin
    double back = 0; ///< from the end of the model's last chunk but those of the inner places, through the loss, to the
                     ///< next place
    double once = -std::numeric_limits<double>::infinity(); ///< the step, as far as the first gradient of any of these
                                                            ///< places goes within them
    double trips = 0; ///< the round trips, as far as they go within them
    double longest = 0; ///< step, if these places set it
};
[[nodiscard]] FoldedPrefix extended(
    const FoldedRules& rules, int place, const FoldedPrefix& prefix, const FoldedTerms& terms);

} // namespace stratoplan::pipeline
