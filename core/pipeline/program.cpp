// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/program.h"

#include "core/pipeline/v_shaped.h"

#include <algorithm>
#include <cassert>

namespace stratoplan {

using namespace pipeline_detail;

bool splitsBackward(Schedule schedule)
{
    switch (schedule) {
    case Schedule::ZbH1:
    case Schedule::ZbH2:
    case Schedule::ZbV:
    case Schedule::VHalf:
    case Schedule::VMin:
    case Schedule::DualPipe:
    case Schedule::DualPipeV:
        return true;
    default:
        return false;
    }
}

bool staggersSteps(Schedule schedule)
{
    return schedule == Schedule::ZbH2 || schedule == Schedule::ZbV || schedule == Schedule::VHalf || schedule == Schedule::VMin;
}

int warmUpPasses(Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead)
{
    const int v = effectiveChunks(schedule, chunks);
    const auto total = static_cast<int>(std::min(std::int64_t{microBatches} * v, std::int64_t{1} << 30));
    const int behind = stages - stage - 1;
    switch (schedule) {
    case Schedule::GPipe:
    case Schedule::BreadthFirst:
        return total;
    case Schedule::EagerOneFOneB:
    case Schedule::ZbH2:
        return std::min(total, 2 * behind + lookahead);
    default:
        return std::min(total, (v > 1 ? 2 * behind + (v - 1) * stages : behind) + lookahead);
    }
}

StageProgram chunkPasses(Schedule schedule, bool backward, int stages, int chunks, int microBatches)
{
    const bool all = chunks == 1 || schedule == Schedule::BreadthFirst;
    assert(all || microBatches % stages == 0);
    StageProgram passes;
    passes.reserve(static_cast<std::size_t>(microBatches) * static_cast<std::size_t>(chunks));
    const int groupSize = all ? microBatches : stages;
    for (int first = 0; first < microBatches; first += groupSize)
        for (int chunk = 0; chunk < chunks; ++chunk)
            for (int microBatch = first; microBatch < first + groupSize; ++microBatch)
                passes.push_back({backward ? PassKind::Backward : PassKind::Forward, backward ? chunks - 1 - chunk : chunk, microBatch});
    return passes;
}

int zeroBubbleLimit(Schedule schedule, int stages, int microBatches, int lookahead)
{
    assert(schedule == Schedule::ZbH1 || schedule == Schedule::ZbH2);
    return std::min(microBatches, (schedule == Schedule::ZbH1 ? stages : 2 * stages - 1) + lookahead);
}

namespace {

/// Warm-up, then forward and backward in turn, each after as many weight gradients as keep to the limit; when the forwards have
/// run out, a weight gradient before every backward pass but the first of them, where there is one to run.
StageProgram zeroBubbleProgram(Schedule schedule, int stages, int microBatches, int stage, int lookahead)
{
    const int limit = zeroBubbleLimit(schedule, stages, microBatches, lookahead);
    StageProgram program;
    program.reserve(3 * static_cast<std::size_t>(microBatches));
    int forwards = 0;
    int backwards = 0;
    int weights = 0;
    const auto run = [&](PassKind kind, int& count) { program.push_back({kind, 0, count++}); };
    for (int k = warmUpPasses(schedule, stages, 1, microBatches, stage, lookahead); k > 0; --k)
        run(PassKind::Forward, forwards);
    while (backwards < microBatches) {
        const bool full = forwards - weights >= limit;
        if ((forwards == microBatches || full) && weights < backwards)
            run(PassKind::WeightGradient, weights);
        if (forwards < microBatches)
            run(PassKind::Forward, forwards);
        run(PassKind::InputGradient, backwards);
    }
    while (weights < microBatches)
        run(PassKind::WeightGradient, weights);
    return program;
}

/// One direction, whole backward passes.
StageProgram alternatingProgram(Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead)
{
    const StageProgram forward = chunkPasses(schedule, false, stages, chunks, microBatches);
    const StageProgram backward = chunkPasses(schedule, true, stages, chunks, microBatches);
    const auto warmUp = static_cast<std::size_t>(warmUpPasses(schedule, stages, chunks, microBatches, stage, lookahead));
    StageProgram program(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(warmUp));
    program.reserve(2 * forward.size());
    for (std::size_t k = warmUp; k < forward.size(); ++k) {
        program.push_back(forward[k]);
        program.push_back(backward[k - warmUp]);
    }
    program.insert(program.end(), backward.end() - static_cast<std::ptrdiff_t>(warmUp), backward.end());
    return program;
}

} // namespace

std::vector<StageProgram> stagePrograms(Schedule schedule, int stages, int chunks, int microBatches, int lookahead)
{
    assert(canSchedule(schedule, stages, chunks, microBatches));
    if (schedule == Schedule::VHalf || schedule == Schedule::VMin)
        return blockPrograms(schedule, stages, microBatches, lookahead);
    const auto program = [&](int stage) {
        switch (schedule) {
        case Schedule::ZbH1:
        case Schedule::ZbH2:
            return zeroBubbleProgram(schedule, stages, microBatches, stage, lookahead);
        case Schedule::ZbV:
            return zbVProgram(stages, microBatches, stage, lookahead);
        case Schedule::DualPipe:
        case Schedule::DualPipeV:
            return dualPipeProgram(schedule, stages, microBatches, stage);
        default:
            return alternatingProgram(schedule, stages, effectiveChunks(schedule, chunks), microBatches, stage, lookahead);
        }
    };
    std::vector<StageProgram> programs;
    programs.reserve(static_cast<std::size_t>(stages));
    for (int stage = 0; stage < stages; ++stage)
        programs.push_back(program(stage));
    return programs;
}

double inFlight(Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead, double firstShare)
{
    // Beyond 2p micro-batches only the steady state grows longer.
    const int enough = std::min(microBatches, 2 * (stages + lookahead) + 2);
    switch (schedule) {
    case Schedule::ZbH1:
    case Schedule::ZbH2:
        return zeroBubbleLimit(schedule, stages, microBatches, lookahead);
    case Schedule::ZbV:
        return mostHeld(zbVProgram(stages, enough, stage, lookahead), firstShare);
    case Schedule::VHalf:
    case Schedule::VMin:
        return blockPeak(schedule, stages, microBatches, stage, lookahead, firstShare);
    case Schedule::DualPipe:
    case Schedule::DualPipeV:
        return mostHeld(dualPipeProgram(schedule, stages, enough, stage), firstShare);
    default:
        break;
    }
    const int v = effectiveChunks(schedule, chunks);
    return static_cast<double>(std::min(static_cast<double>(microBatches) * v, 1.0 * warmUpPasses(schedule, stages, chunks, microBatches, stage, lookahead) + 1.0)) / v;
}

int lossesInFlight(Schedule schedule, int microBatches)
{
    return schedule == Schedule::GPipe || schedule == Schedule::BreadthFirst ? microBatches : 1;
}

} // namespace stratoplan
