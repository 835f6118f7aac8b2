// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/route.h"

#include <algorithm>

namespace stratoplan::parallel {

PipelineShape shape(Schedule schedule)
{
    switch (schedule) {
    case Schedule::ZbV:
    case Schedule::VHalf:
    case Schedule::VMin:
    case Schedule::DualPipeV:
        return PipelineShape::V;
    case Schedule::DualPipe:
        return PipelineShape::TwoWay;
    default:
        return PipelineShape::Loop;
    }
}

int effectiveChunks(Schedule schedule, int chunks)
{
    if (shape(schedule) != PipelineShape::Loop)
        return 2;
    return schedule == Schedule::Interleaved || schedule == Schedule::BreadthFirst ? std::max(chunks, 1) : 1;
}

bool canSchedule(Schedule schedule, int stages, int chunks, int microBatches)
{
    if (stages < 1 || microBatches < 1)
        return false;
    switch (schedule) {
    case Schedule::Interleaved:
        return chunks == 1 || microBatches % stages == 0;
    case Schedule::DualPipe:
        return stages % 2 == 0 && microBatches % 2 == 0 && microBatches >= 2 * stages;
    case Schedule::DualPipeV:
        return microBatches >= 2 * stages;
    default:
        return true;
    }
}

} // namespace stratoplan::parallel
