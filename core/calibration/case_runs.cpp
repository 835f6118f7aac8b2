// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/case_runs.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace stratoplan::calibration {

namespace {

MeasuredRun runOf(const validation::MeasuredCase& c)
{
    MeasuredRun run;
    run.id = c.id;
    run.plan = c.plan;
    run.stepSeconds = c.stepSeconds;
    run.peakGib = c.peakGib;
    run.peakOfFirstStage = c.peakOfFirstStage;
    run.batchScale = c.batchScale;
    run.source = c.group;
    run.filled = c.filled;
    return run;
}

/// Rows of one source whose layers do the same work differ in how many layers and replicas there are, and share the
/// errors of that layer (vTrain composes 1,142 rows of 32 profiled layers): together they weigh no more than this many
/// rows.
constexpr double kMostRowsOfLayer = 16;

void weigh(std::vector<MeasuredRun>& runs)
{
    const auto layer = [](const MeasuredRun& run) {
        const plan::Plan& p = run.plan;
        return std::tuple(run.source, p.model.hidden, p.model.ffnHidden, p.strategy.tp, p.strategy.cp, p.strategy.ep,
            p.strategy.microBatch, p.training.sequenceLength, p.strategy.recompute);
    };
    std::map<decltype(layer(runs.front())), int> rows;
    for (const MeasuredRun& run : runs)
        ++rows[layer(run)];
    for (MeasuredRun& run : runs)
        run.weight = std::min(1.0, kMostRowsOfLayer / rows[layer(run)]);
}

bool ofKnownStack(const validation::MeasuredCase& c)
{
    return std::none_of(c.filled.begin(), c.filled.end(),
        [](const std::string& note) { return note.starts_with("software.profile="); });
}

} // namespace

std::vector<MeasuredRun> runsOf(const validation::CaseSet& cases)
{
    std::vector<MeasuredRun> runs;
    std::transform(cases.cases.begin(), cases.cases.end(), std::back_inserter(runs), runOf);
    weigh(runs);
    return runs;
}

std::vector<MeasuredRun> runsOfKnownStacks(const validation::CaseSet& cases)
{
    std::vector<MeasuredRun> runs;
    for (const validation::MeasuredCase& c : cases.cases)
        if (ofKnownStack(c))
            runs.push_back(runOf(c));
    weigh(runs);
    return runs;
}

} // namespace stratoplan::calibration
