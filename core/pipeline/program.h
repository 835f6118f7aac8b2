// SPDX-License-Identifier: Apache-2.0
// The order in which a stage runs the passes of its micro-batches and chunks, and the way of a micro-batch through the
// stages.
//
// One direction. A program has three parts: warm-up forwards, alternating forward and backward, backwards. GPipe is all
// warm-up, and so is breadth-first, which runs all micro-batches through one chunk after the other (Lamy-Poirier, arXiv
// 2211.05953); 1F1B warms up with p - i - 1 forwards, eager 1F1B with twice as many, so that every activation arrives a
// slot before it is needed (Zhuang et al., arXiv 2211.05322); interleaved 1F1B runs virtual micro-batches in groups of
// p per chunk and warms up with 2 (p - i - 1) + (v - 1) p of them (Narayanan et al., arXiv 2104.04473, and
// Megatron-LM's forward_backward_pipelining_with_interleaving). ZB-H1 and ZB-H2 split the backward pass (Qi et al.,
// arXiv 2401.10241): the gradient of the input goes on at once, that of the weights fills what would be idle. Every
// stage holds the activations of as many micro-batches, p (ZB-H1) or 2p - 1 (ZB-H2), from their forward pass to their
// weight gradient. ZB-auto is made for the durations of a pipeline under a limit of its own (zero_bubble.h; ZB-1p and
// ZB-2p of the same paper are it with limits of p and 2p). A lookahead lets every stage run as many more chunk passes
// forward before its first backward pass: where the loss is worked out by all stages together, the last one goes on
// meanwhile (Yeung et al., arXiv 2411.05288).
//
// V-shaped: ZB-V, V-Half and V-Min (Qi et al., arXiv 2405.15362), and DualPipe-V. Two-way: DualPipe (DeepSeek-AI, arXiv
// 2412.19437).
#pragma once

#include "core/parallel/route.h"

#include <cstdint>
#include <vector>

namespace stratoplan::pipeline {

enum class PassKind : std::uint8_t {
    Forward,
    Backward, ///< gradients of the input and of the weights
    InputGradient, ///< the first of them, which another stage waits for
    WeightGradient, ///< the second
};

/// One pass of one micro-batch through one chunk of a stage.
struct PipelineStep {
    PassKind kind = PassKind::Forward;
    int chunk = 0;
    int microBatch = 0;
    bool withNext = false; ///< runs together with the next step: both begin when both inputs are there, and both end
                           ///< with the second
    bool operator==(const PipelineStep&) const = default;
};
using StageProgram = std::vector<PipelineStep>;

/// Whether some weight gradients run on their own. The programs of such a schedule are lists; those of the others are
/// given by chunkPasses() and warmUpPasses().
[[nodiscard]] bool splitsBackward(parallel::Schedule schedule);
/// Whether forward and backward passes of a stage run together (DualPipe and DualPipe-V).
[[nodiscard]] bool runsPairs(parallel::Schedule schedule);
/// Whether a stage begins the next step when it has ended its own part of this one (zero bubble schedules whose
/// optimizer checks afterwards whether the gradients were finite): stages stay as far apart as they started.
[[nodiscard]] bool staggersSteps(parallel::Schedule schedule);

/// Forward passes a stage runs before its first backward pass that is followed by another forward pass, in
/// chunk passes; at most m v. Precondition: the schedule runs in one direction.
[[nodiscard]] int warmUpPasses(
    parallel::Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead = 0);

/// The k-th chunk pass of every stage, forward (chunks rise) or backward (chunks fall): groups of p micro-batches (all
/// of them, breadth-first) run through one chunk after the other. Length m v. Precondition: chunks is 1, p divides m,
/// or breadth-first.
[[nodiscard]] StageProgram chunkPasses(
    parallel::Schedule schedule, bool backward, int stages, int chunks, int microBatches);

/// Micro-batches whose activations every stage of ZB-H1, ZB-H2 or ZB-auto holds at most. `limit` is that of ZB-auto; 0:
/// 2 p.
[[nodiscard]] int zeroBubbleLimit(
    parallel::Schedule schedule, int stages, int microBatches, int lookahead = 0, int limit = 0);

/// Everything each stage runs, in order: a forward and a backward pass of every micro-batch through every chunk it
/// passes there, or three steps where the backward pass is split. Preconditions: canSchedule(); no lookahead in
/// DualPipe and DualPipe-V; not ZB-auto, whose programs follow from the durations (programsOf(), pipeline.h).
[[nodiscard]] std::vector<StageProgram> stagePrograms(
    parallel::Schedule schedule, int stages, int chunks, int microBatches, int lookahead = 0);

/// Micro-batches in flight on `stage` at the memory peak, in units of a whole stage's activations
/// (1F1B: min(m, p - i), eager: min(m, 2 (p - i) - 1); interleaved: min(m, (2(p-i-1) + (v-1)p + 1)/v), Korthikanti et
/// al., 2205.05198; GPipe and breadth-first: m; ZB-H1: min(m, p), ZB-H2: min(m, 2p - 1), ZB-auto: min(m, limit), ZB-V:
/// about p, V-Half: about p/2, V-Min: about p/3 on every stage; DualPipe: p + 1 micro-batches in half of what a stage
/// holds). A lookahead adds to it. `firstShare`: of the two chunks of a V-shaped or two-way schedule, the first one's
/// share of the stage's activations.
[[nodiscard]] double inFlight(parallel::Schedule schedule, int stages, int chunks, int microBatches, int stage,
    int lookahead = 0, double firstShare = 0.5, int limit = 0);
/// Micro-batches whose prediction waits on the last stage for its backward pass: all in GPipe and breadth-first, one
/// where the backward pass of a micro-batch follows its forward pass, or another chunk's that it runs together with
/// (DualPipe, DualPipe-V).
struct LossesInFlight {
    int atLoss = 1;
    int inBackward = 0; ///< beside the one that is differentiated
};
[[nodiscard]] LossesInFlight lossesInFlight(parallel::Schedule schedule, int microBatches);

} // namespace stratoplan::pipeline
