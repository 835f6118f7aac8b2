// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/case_runs.h"

#include <algorithm>

namespace stratoplan {

namespace {

MeasuredRun runOf(const MeasuredCase& c)
{
    return {c.id, c.plan, c.stepSeconds, c.peakGib, c.batchScale, c.group, {}, {}, c.filled, {}};
}

bool ofKnownStack(const MeasuredCase& c)
{
    return std::none_of(c.filled.begin(), c.filled.end(), [](const std::string& note) { return note.starts_with("software.profile="); });
}

} // namespace

std::vector<MeasuredRun> runsOf(const CaseSet& cases)
{
    std::vector<MeasuredRun> runs;
    std::transform(cases.cases.begin(), cases.cases.end(), std::back_inserter(runs), runOf);
    return runs;
}

std::vector<MeasuredRun> runsOfKnownStacks(const CaseSet& cases)
{
    std::vector<MeasuredRun> runs;
    for (const MeasuredCase& c : cases.cases)
        if (ofKnownStack(c))
            runs.push_back(runOf(c));
    return runs;
}

} // namespace stratoplan
