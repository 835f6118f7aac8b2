// SPDX-License-Identifier: Apache-2.0
// Programs of the schedules with two chunks per stage, private to core/pipeline.
#pragma once

#include "core/pipeline/program.h"

namespace stratoplan::pipeline::detail {

/// ZB-V of one stage: as long as forward, input gradient and weight gradient take alike, no stage is ever idle between
/// its first and its last pass, and none holds more than 2 (p + lookahead) half micro-batches.
[[nodiscard]] StageProgram zbVProgram(int stages, int microBatches, int stage, int lookahead);

/// V-Half or V-Min of every stage: the published building block repeated every six passes, cool-down drawn together.
[[nodiscard]] std::vector<StageProgram> blockPrograms(
    parallel::Schedule schedule, int stages, int microBatches, int lookahead);
/// What a stage holds at most under the building block, as mostHeld() has it.
[[nodiscard]] double blockPeak(
    parallel::Schedule schedule, int stages, int microBatches, int stage, int lookahead, double firstShare);

/// DualPipe or DualPipe-V of one stage.
[[nodiscard]] StageProgram dualPipeProgram(parallel::Schedule schedule, int stages, int microBatches, int stage);

/// What a program holds at most, from the forward pass of each chunk to the end of its backward pass, in units of the
/// activations of both chunks, of which the first has `firstShare`.
[[nodiscard]] double mostHeld(const StageProgram& program, double firstShare);

} // namespace stratoplan::pipeline::detail
