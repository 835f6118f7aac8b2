// SPDX-License-Identifier: Apache-2.0
// When stages begin and end a step, and how long it is, private to core/pipeline.
#pragma once

#include "core/pipeline/pipeline.h"

#include <algorithm>
#include <vector>

namespace stratoplan::pipeline::detail {

struct StageEnd {
    double begin = 0; ///< of its first pass
    double end = 0; ///< of its parameter gather
};

/// When a stage has ended its step after the end of its passes, where reductions follow them. Summed as events are.
inline double endAfter(double passes, const StageWork& stage)
{
    return passes + stage.gradientSync.value() + stage.optimizer.value() + stage.parameterGather.value();
}

/// What counts of a stage towards the step: where stages go on one by one, its own part alone.
inline double stepOf(const PipelineWork& work, const StageEnd& stage)
{
    return stage.end - (staggersSteps(work.schedule) ? stage.begin : 0);
}

/// Seconds from one step to the next.
inline double stepSeconds(const PipelineWork& work, const std::vector<StageEnd>& stages)
{
    double step = 0;
    for (const StageEnd& stage : stages)
        step = std::max(step, stepOf(work, stage));
    return step;
}

} // namespace stratoplan::pipeline::detail
