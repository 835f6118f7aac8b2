// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/priced_pipeline.h"

namespace stratoplan {

Seconds stepSeconds(const PipelineWork& work, PipelineTime time, SharedPrograms* shared)
{
    switch (time) {
    case PipelineTime::ClosedForm:
        return pipelineSeconds(work);
    case PipelineTime::Bound:
        return stepBound(work, shared);
    case PipelineTime::Simulated:
        break;
    }
    return makespan(work, shared).seconds;
}

} // namespace stratoplan
