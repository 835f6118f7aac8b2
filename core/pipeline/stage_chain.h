// SPDX-License-Identifier: Apache-2.0
// A bound of a pipeline in one direction, put together stage by stage: pipelineSeconds(), and the round trips of
// micro-batches on top of it, which a stage has to wait for before it may go on. extended() goes on from the first
// stages to the next one by additions and maxima of what it keeps of them, which never fall in any of it: what a
// programme over stages needs (core/split/split_chain.h).
//
// Round trips. Before its first gradient a stage runs no more than `held` micro-batches forward, so that the others
// wait until the first one has been to the end of the pipeline and back:
//   T >= way of a micro-batch there and back + (m - 1) B + (m - held) F          of any stage.
// (Of several chunks each is taken to be as quick as the quickest of its stage: quicker passes never lengthen a
// pipeline.) In 1F1B a forward pass waits for the gradient of `held` micro-batches before: with q trips on the way from
// the first forward pass of a stage to its last one, and one more that brings back the gradient of the last,
//   T >= fill + (1 + q) trip + (m - 1 - q held) (F + B) + drain                  where q held <= m - 1,
// which holds transfers too: their number grows with that of the trips.
#pragma once

#include "core/pipeline/pipeline.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace stratoplan::pipeline {

/// What the bound asks of the whole chain.
struct ChainRules {
    double microBatches = 1;
    double firstChunk = 1; ///< share of a stage's pass that its first chunk is
    bool splits = false; ///< weight gradients may follow the last backward pass …
    double weightsBefore = 0; ///< … but for so many
    double limit = 0; ///< micro-batches that are held until their weight gradient, at most
    bool staggers = false; ///< a stage begins the next step when it has ended its own part of this one
    bool forwardFirst = false; ///< all forward passes before the first gradient
    std::vector<double>
        held{}; ///< micro-batches that each stage runs forward before its first gradient, at most; none: not known
    double often =
        0; ///< round trips of every stage within a step, or one where the first stage makes none; 0: not asked for
    bool onStream = false; ///< a transfer holds up both stages
    bool reducesInside = false; ///< gradients are reduced within the last backward pass
    bool operator==(const ChainRules&) const = default;
};
[[nodiscard]] ChainRules chainRules(const PipelineWork& work);

/// One stage, in seconds of one micro-batch. Where the backward pass is split, stages have one chunk.
struct StageTerms {
    double forward = 0;
    double backward = 0;
    double weightGradient = 0; ///< of it
    double sync = 0; ///< once: reduction of its gradients, after the last pass or within it
    double after = 0; ///< once, after that
    double sendForward = 0; ///< to the next stage
    double sendBackward = 0; ///< to the stage before
    double receiveForward = 0; ///< from the stage before
    double receiveBackward = 0; ///< from the next stage
    double reshardForward = 0; ///< of what it sends to the next stage, there
    double reshardBackward = 0; ///< of what it sends to the stage before, there
    // See countChunks().
    double firstForward = 0; ///< through its first chunk
    double firstBackward = 0;
    double leastForward = 0; ///< `forward` if every chunk took as little as the quickest one
    double leastBackward = 0;
};
/// Finds what the terms tell of so many chunks: equal ones, or the first of unlike ones, and passes as quick as the
/// quickest of each kind.
void countChunks(int chunks, StageTerms& terms);
void countChunks(int chunks, const ChunkWork& first, const ChunkWork& quickest, StageTerms& terms);
/// Makes each pass as quick as the other chunk's.
inline void quicken(ChunkWork& chunk, const ChunkWork& other)
{
    chunk.forward = std::min(chunk.forward, other.forward);
    chunk.backward = std::min(chunk.backward, other.backward);
}

/// The bound of the first stages of a chain, as far as it matters to what follows.
struct ChainPrefix {
    static constexpr double kNone = -std::numeric_limits<double>::infinity();
    double fill = 0; ///< until the next stage can begin
    double further = 0; ///< of a micro-batch through the other chunks of these stages, at the least
    /// From there, what is left of the step of any of these stages when the next one has ended its last backward pass;
    /// its fill included.
    double tail = kNone;
    double longest = 0; ///< step, if these stages set it
    /// The step, as far as the round trips of any of these stages go within them: of the first micro-batch alone, of
    /// two, of many.
    double once = kNone, twice = kNone, many = kNone;
};
[[nodiscard]] ChainPrefix extended(
    const ChainRules& rules, int stage, const ChainPrefix& prefix, const StageTerms& terms);
/// The bound of a chain, from the first stage to the last.
[[nodiscard]] double chainSeconds(const ChainRules& rules, const std::vector<StageTerms>& stages);

} // namespace stratoplan::pipeline
