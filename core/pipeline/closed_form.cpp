// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/pipeline.h"
#include "core/pipeline/program.h"

#include <algorithm>
#include <cassert>

namespace stratoplan {

namespace {

/// Seconds the last stage waits for the loss at the least: of the first prediction, when it has run all forward passes that its
/// program puts before the first gradient; and of the last one, when it has run the gradients of all others.
double lossWait(const PipelineWork& work)
{
    const int p = static_cast<int>(work.stages.size());
    const int v = effectiveChunks(work.schedule, work.chunks);
    const int total = work.microBatches * v;
    const int before = std::min(total, warmUpPasses(work.schedule, p, v, work.microBatches, p - 1, work.lookahead) + 1);
    const int predicted = (v - 1) * (work.schedule == Schedule::BreadthFirst ? work.microBatches : p) + 1; // passes until the first prediction
    const double hiding = double(before - predicted) / v;
    const StageWork& last = work.stages.back();
    const double first = std::max(0.0, (work.loss - last.forward * hiding).value());
    // Weight gradients may fill the second wait, and it is the first one where no forward pass follows a gradient.
    const bool both = !splitsBackward(work.schedule) && before < total;
    return first + (both ? std::max(0.0, (work.loss - last.backward * hiding).value()) : 0);
}

} // namespace

Seconds pipelineSeconds(const PipelineWork& work, int* criticalStage)
{
    assert(!work.stages.empty() && work.microBatches >= 1);
    const int p = static_cast<int>(work.stages.size());
    const double m = work.microBatches;
    const double firstChunk = 1.0 / effectiveChunks(work.schedule, work.chunks);
    const auto stage = [&](int i) -> const StageWork& { return work.stages[static_cast<std::size_t>(i)]; };

    // Walk upstream: `fill` is when a stage's first input can be there, `lastBackward` a time before which its last
    // backward pass cannot end, because of its own work or because the last gradient is still on its way.
    double fill = 0;
    for (int i = 0; i + 1 < p; ++i)
        fill += stage(i).forward.value() * firstChunk + stage(i).sendForward.value();
    double lastBackward = 0;
    double makespan = -1;
    int pacemaker = p - 1;
    int critical = p - 1;
    // Weight gradients may follow the last backward pass, which goes on without them: one of them must, and no more than the
    // micro-batches that a stage may hold.
    const bool splits = splitsBackward(work.schedule);
    const bool staggers = staggersSteps(work.schedule);
    const double before = splits ? m - zeroBubbleLimit(work.schedule, p, work.microBatches, work.lookahead) : 0;
    for (int i = p - 1; i >= 0; --i) {
        const StageWork& w = stage(i);
        const double weights = splits ? std::min(w.weightGradient, w.backward).value() : 0;
        const double backward = w.backward.value() - weights;
        const double late = i + 1 == p ? lossWait(work) : 0;
        const double begin = (staggers ? 0 : fill) + late;
        const double whole = begin + m * (w.forward.value() + w.backward.value());
        const double own = fill + late + m * (w.forward.value() + backward) + before * weights;
        const double arrived = i + 1 < p ? lastBackward + stage(i + 1).sendBackward.value() + backward * firstChunk : own;
        lastBackward = std::max(own, arrived);
        const double last = std::max(whole, lastBackward + weights - (staggers ? fill : 0));
        if (whole >= last)
            pacemaker = i;
        const double end = last + w.gradientSync.value() + w.optimizer.value();
        // Of stages that end together the most upstream one is named: its gradient closes the step.
        if (end >= makespan) {
            makespan = end;
            critical = pacemaker;
        }
        if (i > 0)
            fill -= stage(i - 1).forward.value() * firstChunk + stage(i - 1).sendForward.value();
    }
    if (criticalStage)
        *criticalStage = critical;
    return Seconds(makespan);
}

Seconds makespan(const PipelineWork& work, int* criticalStage)
{
    const Seconds bound = pipelineSeconds(work, criticalStage);
    const double passes = double(work.stages.size()) * work.microBatches * effectiveChunks(work.schedule, work.chunks);
    if (work.stages.size() == 1)
        return bound;
    if (passes <= kSimulatedPasses)
        return std::max(bound, simulateMakespan(work));
    return std::max(bound, steadyMakespan(work, kSimulatedPasses).value_or(bound));
}

double inFlight(Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead)
{
    if (splitsBackward(schedule))
        return zeroBubbleLimit(schedule, stages, microBatches, lookahead);
    const int v = effectiveChunks(schedule, chunks);
    const int total = microBatches * v;
    return static_cast<double>(std::min(total, warmUpPasses(schedule, stages, chunks, microBatches, stage, lookahead) + 1)) / v;
}

int lossesInFlight(Schedule schedule, int microBatches)
{
    return schedule == Schedule::GPipe || schedule == Schedule::BreadthFirst ? microBatches : 1;
}

} // namespace stratoplan
