// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/durations.h"
#include "core/pipeline/pipeline.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

namespace stratoplan::pipeline {

using namespace detail;

namespace {

/// Seconds the last stage waits for the loss at the least: of the first prediction, when it has run all forward passes
/// that its program puts before the first gradient; and of the last one, when it has run the gradients of all others.
double lossWait(const PipelineWork& work)
{
    if (work.loss.value() <= 0)
        return 0;
    const int p = static_cast<int>(work.stages.size());
    const int v = effectiveChunks(work.schedule, work.chunks);
    const auto total = static_cast<int>(std::min(std::int64_t{work.microBatches} * v, std::int64_t{1} << 30));
    const int before = work.schedule == parallel::Schedule::ZbAuto
        ? zeroBubbleLimit(work.schedule, p, work.microBatches, work.lookahead, work.limit)
        : std::min(total, warmUpPasses(work.schedule, p, v, work.microBatches, p - 1, work.lookahead) + 1);
    const int predicted = (v - 1) * (work.schedule == parallel::Schedule::BreadthFirst ? work.microBatches : p)
        + 1; // passes until the first prediction
    const double hiding = double(before - predicted) / v;
    Seconds forward = work.stages.back().forward, backward = work.stages.back().backward;
    // Whichever chunks run meanwhile, none of them takes longer than the longest.
    for (int c = 0; c < v; ++c) {
        if (const ChunkWork* const chunk = ownChunk(work, work.stages.size() - 1, c)) {
            forward = std::max(forward, chunk->forward * v);
            backward = std::max(backward, chunk->backward * v);
        }
    }
    const double first = std::max(0.0, (work.loss - forward * hiding).value());
    // Weight gradients may fill the second wait, and it is the first one where no forward pass follows a gradient.
    const bool both = !splitsBackward(work.schedule) && before < total;
    return first + (both ? std::max(0.0, (work.loss - backward * hiding).value()) : 0);
}

/// What a stage of so many chunks has to do beside its passes: of reductions beside them the last chunk's.
double besidePasses(const PipelineWork& work, const StageWork& stage, int chunks)
{
    const bool beside = work.timing.sync == parallel::SyncTime::Asynchronous;
    return stage.gradientSync.value() / (beside ? chunks : 1) + (stage.optimizer + stage.parameterGather).value();
}

/// What is left of the step of a stage of so many chunks after its last gradient: the other chunks' reductions may be
/// over where they do not wait for all passes.
double afterPasses(const PipelineWork& work, const StageWork& stage, int chunks)
{
    const bool waits = work.timing.sync == parallel::SyncTime::AfterPasses;
    return stage.gradientSync.value() / (waits ? 1 : chunks) + (stage.optimizer + stage.parameterGather).value();
}

/// The longest that a micro-batch keeps the stage waiting on which it comes in and goes out: for its own way through
/// all chunks and back; or, at any chunk, for the way there, for all micro-batches through this chunk and what their
/// way leads back to on the same stage, and for the way of the last one out. Every micro-batch goes forward through a
/// chunk before it comes back, whatever the order. Weight gradients may be left for later, but for the last one's.
double wayBound(const PipelineWork& work, const Durations& durations, int way, int microBatches)
{
    const parallel::Route& route = durations.route();
    const bool paired =
        !work.order.empty() || runsPairs(work.schedule); // passes that run together save no more than their traffic
    const bool splits = !work.order.empty() || splitsBackward(work.schedule);
    const auto chunkAt = [&](int passed) -> const ChunkDurations& {
        const auto [stage, chunk] = route.at(passed, way);
        return durations.chunk(std::size_t(stage), chunk);
    };
    const auto forward = [&](const ChunkDurations& d) { return d.forward - (paired ? d.forwardTraffic : 0); };
    const auto backward = [&](const ChunkDurations& d) {
        return d.backward - (splits ? d.weightGradient : 0) - (paired ? d.backwardTraffic : 0);
    };
    const auto sends = [](const ChunkDurations& d) { return d.nextIsHere ? 0 : d.sendForward + d.reshardForward; };
    const auto sendsBack = [](const ChunkDurations& d) {
        return d.previousIsHere ? 0 : d.sendBackward + d.reshardBackward;
    };
    double in = 0, out = 0; // until a chunk's first input is there, and after its last gradient has been found
    for (int passed = 0; passed + 1 < route.length(); ++passed) {
        const ChunkDurations& d = chunkAt(passed);
        in += forward(d) + sends(d);
        out += backward(d) + sendsBack(chunkAt(passed + 1));
    }
    const ChunkDurations& last = chunkAt(route.length() - 1);
    double longest = in + forward(last) + work.loss.value() + backward(last) + out;
    std::vector<double> nested(work.stages.size());
    for (int passed = route.length() - 1; passed >= 0; --passed) {
        const ChunkDurations& d = chunkAt(passed);
        double& stageWork = nested[std::size_t(route.at(passed, way).stage)];
        stageWork += forward(d) + backward(d);
        longest = std::max(longest, in + microBatches * stageWork + out);
        if (passed > 0) {
            in -= forward(chunkAt(passed - 1)) + sends(chunkAt(passed - 1));
            out -= backward(chunkAt(passed - 1)) + sendsBack(d);
        }
    }
    return longest + (splits ? chunkAt(0).weightGradient : 0)
        + afterPasses(work, work.stages[std::size_t(route.at(0, way).stage)], durations.chunks());
}

/// Every stage has to do its own work after the first input that can reach it, and no way of a micro-batch is shorter
/// than it is.
Seconds workBound(const PipelineWork& work, int* criticalStage)
{
    const Durations durations(work);
    const int chunks = effectiveChunks(work.schedule, work.chunks);
    const std::size_t stages = work.stages.size();
    std::vector<double> fill(stages, std::numeric_limits<double>::infinity());
    const int ways = shape(work.schedule) == parallel::PipelineShape::TwoWay ? 2 : 1;
    for (int way = 0; way < ways; ++way) {
        double arrives = 0;
        for (int passed = 0; passed < durations.route().length(); ++passed) {
            const auto [stage, chunk] = durations.route().at(passed, way);
            fill[std::size_t(stage)] = std::min(fill[std::size_t(stage)], arrives);
            const ChunkDurations& d = durations.chunk(std::size_t(stage), chunk);
            arrives += d.forward + (d.nextIsHere ? 0 : d.sendForward + d.reshardForward);
        }
    }
    double longest = -1;
    double between = 0; // all stages together
    for (int way = 0; way < ways; ++way)
        between = std::max(between, wayBound(work, durations, way, work.microBatches / ways));
    for (std::size_t i = 0; i < stages; ++i) {
        const StageWork& w = work.stages[i];
        const double begin = staggersSteps(work.schedule) ? 0 : fill[i];
        // Passes that run together save no more than all their traffic.
        const bool paired = !work.order.empty() || runsPairs(work.schedule);
        const Seconds passes = w.forward + w.backward - (paired ? w.forwardTraffic + w.backwardTraffic : Seconds{});
        const double end = begin + work.microBatches * passes.value() + besidePasses(work, w, chunks);
        if (end > longest) {
            longest = end;
            if (criticalStage)
                *criticalStage = int(i);
        }
    }
    return Seconds(std::max(longest, between));
}

// Every stage begins with its first chunk, and its last gradient is that one's; `share` is the chunk's of stages whose
// chunks are alike.
double firstForward(const PipelineWork& work, int stage, double share)
{
    const auto i = static_cast<std::size_t>(stage);
    const ChunkWork* const firstChunk = ownChunk(work, i, 0);
    return firstChunk != nullptr ? firstChunk->forward.value() : work.stages[i].forward.value() * share;
}

double firstBackward(const PipelineWork& work, int stage, double weights, double share)
{
    const auto i = static_cast<std::size_t>(stage);
    const ChunkWork* const firstChunk = ownChunk(work, i, 0);
    return firstChunk != nullptr ? firstChunk->backward.value() : (work.stages[i].backward.value() - weights) * share;
}

} // namespace

// In one piece: one walk up the stages, of which each goes on from the fill and the last backward pass of the one
// below.
Seconds pipelineSeconds(const PipelineWork& work, int* criticalStage)
{
    assert(!work.stages.empty() && work.microBatches >= 1);
    if (shape(work.schedule) != parallel::PipelineShape::Loop || !work.order.empty())
        return workBound(work, criticalStage);
    const int p = static_cast<int>(work.stages.size());
    const double m = work.microBatches;
    const int chunks = effectiveChunks(work.schedule, work.chunks);
    const double share = 1.0 / chunks;
    const auto stage = [&](int i) -> const StageWork& { return work.stages[static_cast<std::size_t>(i)]; };
    const auto arrival = [&](int i) { return (stage(i).sendForward + stage(i).reshardForward).value(); };
    // Walk upstream: `fill` is when a stage's first input can be there, `lastBackward` a time before which its last
    // backward pass cannot end, because of its own work or because the last gradient is still on its way.
    double fill = 0;
    for (int i = 0; i + 1 < p; ++i)
        fill += firstForward(work, i, share) + arrival(i);
    double lastBackward = 0;
    double makespan = -1;
    int pacemaker = p - 1;
    int critical = p - 1;
    // Weight gradients may follow the last backward pass, which goes on without them: one of them must, and no more
    // than the micro-batches that a stage may hold.
    const bool splits = splitsBackward(work.schedule);
    const bool staggers = staggersSteps(work.schedule);
    const double before =
        splits ? m - zeroBubbleLimit(work.schedule, p, work.microBatches, work.lookahead, work.limit) : 0;
    for (int i = p - 1; i >= 0; --i) {
        const StageWork& w = stage(i);
        const double weights = splits ? std::min(w.weightGradient, w.backward).value() : 0;
        const double backward = w.backward.value() - weights;
        const double late = i + 1 == p ? lossWait(work) : 0;
        const double begin = (staggers ? 0 : fill) + late;
        const double whole = begin + m * (w.forward.value() + w.backward.value());
        const double unhindered = fill + late + m * (w.forward.value() + backward) + before * weights;
        const double arrived = i + 1 < p
            ? lastBackward + (stage(i + 1).sendBackward + stage(i + 1).reshardBackward).value()
                + firstBackward(work, i, weights, share)
            : unhindered;
        lastBackward = std::max(unhindered, arrived);
        const double last = std::max(whole, lastBackward + weights - (staggers ? fill : 0));
        if (whole >= last)
            pacemaker = i;
        const double end = std::max(whole + besidePasses(work, w, chunks), last + afterPasses(work, w, chunks));
        // Of stages that end together the most upstream one is named: its gradient closes the step.
        if (end >= makespan) {
            makespan = end;
            critical = pacemaker;
        }
        if (i > 0)
            fill -= firstForward(work, i - 1, share) + arrival(i - 1);
    }
    if (criticalStage)
        *criticalStage = critical;
    return Seconds(makespan);
}

} // namespace stratoplan::pipeline
