// SPDX-License-Identifier: Apache-2.0
// The order in which a stage runs the forward and backward passes of its micro-batches and chunks.
// A program has three parts: warm-up forwards, alternating forward and backward, backwards. GPipe is all warm-up, and so is
// breadth-first, which runs all micro-batches through one chunk after the other (Lamy-Poirier, arXiv 2211.05953);
// 1F1B warms up with p - i - 1 forwards, eager 1F1B with twice as many, so that every activation arrives a slot before it is needed
// (Zhuang et al., arXiv 2211.05322); interleaved 1F1B runs virtual micro-batches in groups of p per chunk and
// warms up with 2 (p - i - 1) + (v - 1) p of them (Narayanan et al., arXiv 2104.04473, and Megatron-LM's
// forward_backward_pipelining_with_interleaving).
// Zero bubble schedules split the backward pass (Qi et al., arXiv 2401.10241): the gradient of the input goes on at once, that of
// the weights fills what would be idle. Every stage holds the activations of as many micro-batches, p (ZB-H1) or 2p - 1 (ZB-H2),
// from their forward pass to their weight gradient.
// A lookahead lets every stage run as many more chunk passes forward before its first backward pass: where the loss is worked out
// by all stages together, the last one goes on meanwhile (Yeung et al., arXiv 2411.05288).
#pragma once

#include "core/parallel/strategy.h"

#include <cstdint>
#include <vector>

namespace stratoplan {

enum class PassKind : std::uint8_t {
    Forward,
    Backward,       ///< all of it, or where the schedule splits it the gradient of the input
    WeightGradient,
};

/// One pass of one micro-batch through one chunk of a stage.
struct PipelineStep {
    PassKind kind = PassKind::Forward;
    int chunk = 0;
    int microBatch = 0;
    bool operator==(const PipelineStep&) const = default;
};

/// Whether weight gradients run on their own (zero bubble).
[[nodiscard]] bool splitsBackward(Schedule schedule);
/// Whether a stage begins the next step when it has ended its own part of this one (ZB-H2, whose optimizer checks afterwards
/// whether the gradients were finite): stages stay as far apart as they started.
[[nodiscard]] bool staggersSteps(Schedule schedule);

/// Chunks a schedule really uses: v for interleaved and breadth-first, else 1.
[[nodiscard]] int effectiveChunks(Schedule schedule, int chunks);

/// Forward passes a stage runs before its first backward pass that is followed by another forward pass, in
/// chunk passes; at most m v. Precondition: canSimulate(schedule).
[[nodiscard]] int warmUpPasses(Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead = 0);

/// The k-th chunk pass of every stage, forward (chunks rise) or backward (chunks fall): groups of p micro-batches (all of them,
/// breadth-first) run through one chunk after the other. Length m v. Precondition: chunks is 1, p divides m, or breadth-first.
[[nodiscard]] std::vector<PipelineStep> chunkPasses(Schedule schedule, bool backward, int stages, int chunks, int microBatches);

/// Micro-batches whose activations every stage of a zero bubble schedule holds at most. Precondition: splitsBackward(schedule).
[[nodiscard]] int zeroBubbleLimit(Schedule schedule, int stages, int microBatches, int lookahead = 0);

/// Everything stage `stage` runs, in order: 2 m v steps, 3 m where the backward pass is split.
[[nodiscard]] std::vector<PipelineStep> stageProgram(
    Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead = 0);

} // namespace stratoplan
