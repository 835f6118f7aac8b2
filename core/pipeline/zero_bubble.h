// SPDX-License-Identifier: Apache-2.0
// Zero bubble programs of one direction, private to core/pipeline: ZB-H1 and ZB-H2 by hand, and those that are made for
// the durations of a pipeline.
#pragma once

#include "core/pipeline/pipeline.h"

#include <vector>

namespace stratoplan::pipeline::detail {

/// ZB-H1 or ZB-H2 of one stage.
[[nodiscard]] StageProgram zeroBubbleProgram(
    parallel::Schedule schedule, int stages, int microBatches, int stage, int lookahead);

/// The programs with the shortest step among ZB-H1, ZB-H2 where the limit allows them, and those that a list scheduler
/// makes with each combination of its rules (after Qi et al., 2401.10241, section 3.1). No stage holds more than
/// `work.limit` micro-batches from their forward pass to their weight gradient. Rules are chosen on at most
/// automaticChoice() micro-batches: beyond them a pipeline only repeats itself. Precondition: the schedule is ZbAuto.
[[nodiscard]] std::vector<StageProgram> automaticPrograms(const PipelineWork& work);
[[nodiscard]] int automaticChoice(int stages);

} // namespace stratoplan::pipeline::detail
