// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/priced_pipeline.h"

namespace stratoplan::pricing {

Seconds stepSeconds(const pipeline::PipelineWork& work, PipelineTime time, pipeline::SharedPrograms* shared)
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

} // namespace stratoplan::pricing
