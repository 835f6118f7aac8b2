// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/alternating.h"
#include "core/pipeline/engine.h"
#include "core/pipeline/event_graph.h"
#include "core/pipeline/shared_programs.h"
#include "core/pipeline/zero_bubble.h"

#include <array>
#include <cmath>
#include <optional>

namespace stratoplan::pipeline {

using namespace detail;

namespace {

/// Listens to nothing: only the end times are wanted.
struct NoRecorder {
    void pass(std::size_t /*stage*/, double /*start*/) { }
    void transfer(std::size_t /*stage*/, bool /*down*/, double /*start*/) { }
    void reshard(std::size_t /*stage*/, bool /*down*/, double /*start*/) { }
};

/// When each step of each stage starts, and the transfers after it.
struct StepTime {
    double start = 0;
    std::array<double, 4> departs{}; ///< up, down, resharded up there and down there; 0 where nothing is sent
};
using StepTimes = std::vector<std::vector<StepTime>>;

struct StepRecorder {
    StepTimes times;
    void pass(std::size_t stage, double start) { times[stage].push_back({start, {}}); }
    void transfer(std::size_t stage, bool down, double start) { times[stage].back().departs[down] = start; }
    void reshard(std::size_t stage, bool down, double start)
    {
        times[stage].back().departs[2 + std::size_t(down)] = start;
    }
};

std::vector<StageEnd> runGraph(const PipelineWork& work, StepTimes* times = nullptr)
{
    EventGraph graph(work);
    [[maybe_unused]] const bool ended = graph.run();
    assert(ended);
    if (times == nullptr)
        return graph.stageEnds();
    std::vector<std::size_t> numbers(graph.events().size());
    for (std::size_t i = 0; i < times->size(); ++i) {
        for (const EventId id : graph.passesOf(i)) {
            if (graph[id].kind != EventKind::Pass)
                continue;
            numbers[std::size_t(id)] = (*times)[i].size();
            (*times)[i].push_back({graph[id].start, {}});
        }
    }
    for (const Event& event : graph.events()) {
        if (!isTransfer(event.kind))
            continue;
        const bool resharding = event.kind == EventKind::Reshard;
        const Event& transfer = resharding ? graph[event.inputs[0]] : event;
        // A transfer that waits for a reduction belongs to the last passes, which do not repeat.
        if (graph[transfer.inputs[0]].kind != EventKind::Pass)
            continue;
        const bool down = graph.durations().chunk(std::size_t(transfer.stage), transfer.chunk).down
            == (transfer.pass == PassKind::Forward);
        (*times)[std::size_t(transfer.stage)][numbers[std::size_t(transfer.inputs[0])]]
            .departs[2 * std::size_t(resharding) + std::size_t(down)] = event.start;
    }
    return graph.stageEnds();
}

std::vector<StageEnd> runTimed(const PipelineWork& work, StepTimes& times)
{
    if (!runsOnLinks(work))
        return runGraph(work, &times);
    StepRecorder recorder{std::move(times)};
    auto ends = run(work, recorder);
    times = std::move(recorder.times);
    return ends;
}

/// Micro-batches after which the programs of all stages repeat, and how many of them go through each chunk.
struct Period {
    int microBatches = 1;
    int perChunk = 1;
};

Period periodOf(const PipelineWork& work)
{
    const int p = static_cast<int>(work.stages.size());
    if (shape(work.schedule) == parallel::PipelineShape::TwoWay)
        return {2, 1};
    return work.schedule == parallel::Schedule::Interleaved && work.chunks > 1 ? Period{p, p} : Period{1, 1};
}

/// The steps of a program between its warm-up and its cool-down: each is the one a period before, `perChunk`
/// micro-batches on.
struct Repeating {
    std::ptrdiff_t begin = 0, end = 0, period = 0;
};

/// Of a program that is given by its warm-up.
Repeating repeatingSteps(const PipelineWork& work, int stage, std::ptrdiff_t steps)
{
    const int p = static_cast<int>(work.stages.size());
    const int v = effectiveChunks(work.schedule, work.chunks);
    const std::ptrdiff_t warmUp = warmUpPasses(work.schedule, p, v, work.microBatches, stage, work.lookahead);
    return {warmUp, steps - warmUp, std::ptrdiff_t{2} * periodOf(work).microBatches * v};
}

/// Of a list.
Repeating repeatingSteps(const StageProgram& program, int perChunk)
{
    const auto follows = [&](const PipelineStep& later, const PipelineStep& step) {
        return later.kind == step.kind && later.chunk == step.chunk && later.microBatch == step.microBatch + perChunk
            && later.withNext == step.withNext;
    };
    const auto length = std::ptrdiff_t(program.size());
    const std::ptrdiff_t middle = length / 2;
    std::ptrdiff_t period = 1;
    while (middle + period < length && !follows(program[std::size_t(middle + period)], program[std::size_t(middle)]))
        ++period;
    if (middle + period >= length)
        return {};
    std::ptrdiff_t begin = middle;
    while (begin > 0 && follows(program[std::size_t(begin - 1 + period)], program[std::size_t(begin - 1)]))
        --begin;
    std::ptrdiff_t end = middle + period;
    while (end < length && follows(program[std::size_t(end)], program[std::size_t(end - period)]))
        ++end;
    return {begin, end, period};
}

/// Steps of a stage that later ones may still wait for.
std::ptrdiff_t window(const PipelineWork& work)
{
    const auto p = std::ptrdiff_t(work.stages.size());
    if (shape(work.schedule) == parallel::PipelineShape::TwoWay)
        return 4 * (p + 3); // each way holds no more than half of the p + 1 micro-batches, or as many as it is ahead
    if (shape(work.schedule) == parallel::PipelineShape::V)
        return 6 * (2 * p + 2 + work.lookahead);
    const bool deep = splitsBackward(work.schedule)
        || work.schedule == parallel::Schedule::EagerOneFOneB; // twice as many micro-batches are under way
    const std::ptrdiff_t held =
        work.schedule == parallel::Schedule::ZbAuto ? std::max<std::ptrdiff_t>(2 * p, work.limit) : 2 * p;
    return (deep ? 3 * (held + 2) : 2 * (p + 2)) + 3 * work.lookahead;
}

/// Seconds that one more period takes, if the steps before the cool-down are those of the period before, each later by
/// as much. Start times are max-plus linear in earlier ones, and no step that follows waits for one further back than
/// the window: what has repeated that long repeats for good, and every step of the cool-down moves with it.
std::optional<double> steadyPeriod(const PipelineWork& work, const StepTimes& times, double end)
{
    std::vector<StageProgram> programs;
    if (splitsBackward(work.schedule))
        programs = programsOf(work);
    const double rounding = 1e-12 * end;
    double shift = -1;
    for (std::size_t stage = 0; stage < work.stages.size(); ++stage) {
        const std::vector<StepTime>& steps = times[stage];
        const Repeating repeating = programs.empty() ? repeatingSteps(work, int(stage), std::ptrdiff_t(steps.size()))
                                                     : repeatingSteps(programs[stage], periodOf(work).perChunk);
        if (repeating.end - window(work) - repeating.period < repeating.begin)
            return std::nullopt;
        for (std::ptrdiff_t k = repeating.end - window(work); k < repeating.end; ++k) {
            const StepTime& now = steps[std::size_t(k)];
            const StepTime& before = steps[std::size_t(k - repeating.period)];
            if (shift < 0)
                shift = now.start - before.start;
            if (std::abs(now.start - before.start - shift) > rounding)
                return std::nullopt;
            for (std::size_t way = 0; way < now.departs.size(); ++way)
                if (now.departs[way] > 0 && std::abs(now.departs[way] - before.departs[way] - shift) > rounding)
                    return std::nullopt;
        }
    }
    return shift;
}

double wholeStep(const PipelineWork& work, SharedPrograms* shared = nullptr)
{
    if (alternates(work))
        return alternatingStep(work, Leap::Never)->seconds;
    const bool shares = shared != nullptr && SharedPrograms::shares(work);
    if (!runsOnLinks(work)) {
        EventGraph graph = shares ? EventGraph(work, shared->programs(work)) : EventGraph(work);
        [[maybe_unused]] const bool ended = graph.run();
        assert(ended);
        return stepSeconds(work, graph.stageEnds());
    }
    NoRecorder recorder;
    return stepSeconds(
        work, run(work, recorder, shares && splitsBackward(work.schedule) ? &shared->programs(work) : nullptr));
}

/// Chunk passes of one micro-batch.
double passesPerMicroBatch(const PipelineWork& work)
{
    const double chunks =
        shape(work.schedule) == parallel::PipelineShape::TwoWay ? 1 : effectiveChunks(work.schedule, work.chunks);
    return double(work.stages.size()) * chunks;
}

double mostPasses(const PipelineWork& work)
{
    return runsOnLinks(work) ? kSimulatedPasses : kSimulatedPasses / 10;
}

} // namespace

std::vector<StageProgram> programsOf(const PipelineWork& work)
{
    if (!work.order.empty())
        return work.order;
    if (work.schedule == parallel::Schedule::ZbAuto)
        return automaticPrograms(work);
    const int p = static_cast<int>(work.stages.size());
    return stagePrograms(
        work.schedule, p, effectiveChunks(work.schedule, work.chunks), work.microBatches, work.lookahead);
}

std::vector<Seconds> savedInPairs(const PipelineWork& work)
{
    std::vector<Seconds> saved(work.stages.size());
    if (work.order.empty() && !runsPairs(work.schedule))
        return saved;
    const Durations durations(work);
    const std::vector<StageProgram> programs = programsOf(work);
    for (std::size_t i = 0; i < saved.size(); ++i) {
        const StageProgram& program = programs[i];
        for (std::size_t k = 0; k + 1 < program.size(); ++k)
            saved[i] += Seconds(program[k].withNext ? durations.savedTogether(i, program[k], program[k + 1]) : 0);
    }
    return saved;
}

bool runsThrough(const PipelineWork& work)
{
    if (work.stages.empty() || work.microBatches < 1)
        return false;
    if (work.order.empty())
        return canSchedule(work.schedule, int(work.stages.size()), work.chunks, work.microBatches);
    return EventGraph(work).run();
}

std::optional<Seconds> steadyMakespan(const PipelineWork& work, double passes)
{
    const int p = static_cast<int>(work.stages.size());
    if (work.schedule == parallel::Schedule::GPipe || work.schedule == parallel::Schedule::BreadthFirst || p < 2
        || !work.order.empty())
        return std::nullopt;
    if (alternates(work)) {
        const auto found = alternatingStep(work, Leap::Long, passes / double(p));
        return found && found->leapt ? std::optional(Seconds(found->seconds)) : std::nullopt;
    }
    const int period = periodOf(work).microBatches;
    PipelineWork shorter = work;
    // The shortest that holds warm-up, cool-down and the window; twice as long each time it has not settled.
    const bool simple =
        shape(work.schedule) == parallel::PipelineShape::Loop && work.schedule != parallel::Schedule::ZbAuto;
    const int shortest = simple ? 4 * (p + work.lookahead) : std::max(6 * (p + work.lookahead + 1), automaticChoice(p));
    for (int m = shortest; m <= work.microBatches / 3 && m * passesPerMicroBatch(work) <= passes; m *= 2) {
        shorter.microBatches = m + (work.microBatches - m) % period;
        if (work.schedule == parallel::Schedule::ZbAuto) {
            shorter.order.clear();
            shorter.order = programsOf(shorter);
        }
        StepTimes times(work.stages.size());
        for (std::vector<StepTime>& stage : times)
            stage.reserve(std::size_t(3) * std::size_t(shorter.microBatches)
                * std::size_t(effectiveChunks(work.schedule, work.chunks)));
        std::vector<StageEnd> ends = runTimed(shorter, times);
        if (const auto seconds = steadyPeriod(shorter, times, stepSeconds(shorter, ends))) {
            for (StageEnd& end : ends)
                end.end += *seconds * ((work.microBatches - shorter.microBatches) / period);
            return Seconds(stepSeconds(work, ends));
        }
    }
    return std::nullopt;
}

Seconds simulateMakespan(const PipelineWork& work)
{
    if (alternates(work))
        return Seconds(alternatingStep(work, Leap::Long)->seconds);
    const auto steady = steadyMakespan(work);
    return steady ? *steady : Seconds(wholeStep(work));
}

bool isTooLong(const PipelineWork& work)
{
    return work.microBatches * passesPerMicroBatch(work) > mostPasses(work);
}

Makespan makespan(const PipelineWork& work, SharedPrograms* shared)
{
    Makespan result;
    result.seconds = pipelineSeconds(work, &result.criticalStage);
    if (work.stages.size() == 1 && runsOnLinks(work) && work.order.empty() && !runsPairs(work.schedule))
        return result;
    std::optional<Seconds> simulated;
    if (alternates(work)) {
        const double mostRounds = isTooLong(work) ? kSimulatedPasses / double(work.stages.size()) : 1e300;
        if (const auto found = alternatingStep(work, Leap::Long, mostRounds))
            simulated = Seconds(found->seconds);
    } else {
        simulated = steadyMakespan(work, mostPasses(work));
        if (!simulated && !isTooLong(work))
            simulated = Seconds(wholeStep(work, shared));
    }
    result.bound = !simulated;
    result.seconds = std::max(result.seconds, simulated ? *simulated : stepBound(work, shared));
    return result;
}

} // namespace stratoplan::pipeline
