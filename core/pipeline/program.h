// SPDX-License-Identifier: Apache-2.0
// The order in which a stage runs the forward and backward passes of its micro-batches and chunks.
// A program has three parts: warm-up forwards, alternating forward and backward, backwards. GPipe is all warm-up;
// 1F1B warms up with p - i - 1 forwards; interleaved 1F1B runs virtual micro-batches in groups of p per chunk and
// warms up with 2 (p - i - 1) + (v - 1) p of them (Narayanan et al., arXiv 2104.04473, and Megatron-LM's
// forward_backward_pipelining_with_interleaving).
#pragma once

#include "core/parallel/strategy.h"

#include <vector>

namespace stratoplan {

/// One pass of one micro-batch through one chunk of a stage.
struct PipelineStep {
    bool backward = false;
    int chunk = 0;
    int microBatch = 0;
    bool operator==(const PipelineStep&) const = default;
};

/// Chunks a schedule really uses: v for interleaved, else 1.
[[nodiscard]] int effectiveChunks(Schedule schedule, int chunks);

/// Forward passes a stage runs before its first backward pass that is followed by another forward pass, in
/// chunk passes; at most m v. Precondition: canSimulate(schedule).
[[nodiscard]] int warmUpPasses(Schedule schedule, int stages, int chunks, int microBatches, int stage);

/// The k-th chunk pass of every stage, forward (chunks rise) or backward (chunks fall): groups of p micro-batches
/// run through one chunk after the other. Length m v. Precondition: chunks is 1 or p divides m.
[[nodiscard]] std::vector<PipelineStep> chunkPasses(bool backward, int stages, int chunks, int microBatches);

/// Everything stage `stage` runs, in order: 2 m v steps.
[[nodiscard]] std::vector<PipelineStep> stageProgram(Schedule schedule, int stages, int chunks, int microBatches, int stage);

} // namespace stratoplan
