// SPDX-License-Identifier: Apache-2.0
// Programs of the schedules with two chunks per stage, private to core/pipeline.
#pragma once

#include "core/pipeline/program.h"

namespace stratoplan::pipeline_detail {

/// ZB-V of one stage: as long as forward, input gradient and weight gradient take alike, no stage is ever idle between its first
/// and its last pass, and none holds more than 2 (p + lookahead) half micro-batches.
[[nodiscard]] StageProgram zbVProgram(int stages, int microBatches, int stage, int lookahead);

/// V-Half or V-Min of every stage: the published building block repeated every six passes, cool-down drawn together.
[[nodiscard]] std::vector<StageProgram> blockPrograms(Schedule schedule, int stages, int microBatches, int lookahead);
/// Half micro-batches that a stage holds at most under the building block.
[[nodiscard]] int blockPeak(Schedule schedule, int stages, int microBatches, int stage, int lookahead);

/// DualPipe or DualPipe-V of one stage.
[[nodiscard]] StageProgram dualPipeProgram(Schedule schedule, int stages, int microBatches, int stage);

/// Chunk passes whose activations a program holds at most, from the forward pass to the end of the backward pass.
[[nodiscard]] int mostHeld(const StageProgram& program);

} // namespace stratoplan::pipeline_detail
