// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/program.h"

#include "core/pipeline/v_shaped.h"
#include "core/pipeline/zero_bubble.h"

#include <algorithm>
#include <cassert>

namespace stratoplan::pipeline {

using namespace detail;

bool splitsBackward(parallel::Schedule schedule)
{
    switch (schedule) {
    case parallel::Schedule::ZbH1:
    case parallel::Schedule::ZbH2:
    case parallel::Schedule::ZbAuto:
    case parallel::Schedule::ZbV:
    case parallel::Schedule::VHalf:
    case parallel::Schedule::VMin:
    case parallel::Schedule::DualPipe:
    case parallel::Schedule::DualPipeV:
        return true;
    default:
        return false;
    }
}

bool runsPairs(parallel::Schedule schedule)
{
    return schedule == parallel::Schedule::DualPipe || schedule == parallel::Schedule::DualPipeV;
}

bool staggersSteps(parallel::Schedule schedule)
{
    return schedule == parallel::Schedule::ZbH2 || schedule == parallel::Schedule::ZbAuto
        || schedule == parallel::Schedule::ZbV || schedule == parallel::Schedule::VHalf
        || schedule == parallel::Schedule::VMin;
}

int warmUpPasses(parallel::Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead)
{
    const int v = effectiveChunks(schedule, chunks);
    const auto total = static_cast<int>(std::min(std::int64_t{microBatches} * v, std::int64_t{1} << 30));
    const int behind = stages - stage - 1;
    switch (schedule) {
    case parallel::Schedule::GPipe:
    case parallel::Schedule::BreadthFirst:
        return total;
    case parallel::Schedule::EagerOneFOneB:
    case parallel::Schedule::ZbH2:
        return std::min(total, 2 * behind + lookahead);
    default:
        return std::min(total, (v > 1 ? 2 * behind + (v - 1) * stages : behind) + lookahead);
    }
}

StageProgram chunkPasses(parallel::Schedule schedule, bool backward, int stages, int chunks, int microBatches)
{
    const bool all = chunks == 1 || schedule == parallel::Schedule::BreadthFirst;
    assert(all || microBatches % stages == 0);
    StageProgram passes;
    passes.reserve(static_cast<std::size_t>(microBatches) * static_cast<std::size_t>(chunks));
    const int groupSize = all ? microBatches : stages;
    for (int first = 0; first < microBatches; first += groupSize)
        for (int chunk = 0; chunk < chunks; ++chunk)
            for (int microBatch = first; microBatch < first + groupSize; ++microBatch)
                passes.push_back({backward ? PassKind::Backward : PassKind::Forward,
                    backward ? chunks - 1 - chunk : chunk, microBatch});
    return passes;
}

int zeroBubbleLimit(parallel::Schedule schedule, int stages, int microBatches, int lookahead, int limit)
{
    assert(schedule == parallel::Schedule::ZbH1 || schedule == parallel::Schedule::ZbH2
        || schedule == parallel::Schedule::ZbAuto);
    const int ownLimit = schedule == parallel::Schedule::ZbH1 ? stages
        : schedule == parallel::Schedule::ZbH2 || stages == 1 ? 2 * stages - 1
                                                              : 2 * stages;
    // A single stage turns back at once, whatever it may hold.
    return std::min(
        microBatches, schedule == parallel::Schedule::ZbAuto && limit > 0 && stages > 1 ? limit : ownLimit + lookahead);
}

namespace {

/// One direction, whole backward passes.
StageProgram alternatingProgram(
    parallel::Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead)
{
    const StageProgram forward = chunkPasses(schedule, false, stages, chunks, microBatches);
    const StageProgram backward = chunkPasses(schedule, true, stages, chunks, microBatches);
    const auto warmUp =
        static_cast<std::size_t>(warmUpPasses(schedule, stages, chunks, microBatches, stage, lookahead));
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

std::vector<StageProgram> stagePrograms(
    parallel::Schedule schedule, int stages, int chunks, int microBatches, int lookahead)
{
    assert(canSchedule(schedule, stages, chunks, microBatches) && schedule != parallel::Schedule::ZbAuto);
    if (schedule == parallel::Schedule::VHalf || schedule == parallel::Schedule::VMin)
        return blockPrograms(schedule, stages, microBatches, lookahead);
    const auto program = [&](int stage) {
        switch (schedule) {
        case parallel::Schedule::ZbH1:
        case parallel::Schedule::ZbH2:
            return zeroBubbleProgram(schedule, stages, microBatches, stage, lookahead);
        case parallel::Schedule::ZbV:
            return zbVProgram(stages, microBatches, stage, lookahead);
        case parallel::Schedule::DualPipe:
        case parallel::Schedule::DualPipeV:
            return dualPipeProgram(schedule, stages, microBatches, stage);
        default:
            return alternatingProgram(
                schedule, stages, effectiveChunks(schedule, chunks), microBatches, stage, lookahead);
        }
    };
    std::vector<StageProgram> programs;
    programs.reserve(static_cast<std::size_t>(stages));
    for (int stage = 0; stage < stages; ++stage)
        programs.push_back(program(stage));
    return programs;
}

double inFlight(parallel::Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead,
    double firstShare, int limit)
{
    // Beyond 2p micro-batches only the steady state grows longer.
    const int enough = std::min(microBatches, 2 * (stages + lookahead) + 2);
    switch (schedule) {
    case parallel::Schedule::ZbH1:
    case parallel::Schedule::ZbH2:
    case parallel::Schedule::ZbAuto:
        return zeroBubbleLimit(schedule, stages, microBatches, lookahead, limit);
    case parallel::Schedule::ZbV:
        return mostHeld(zbVProgram(stages, enough, stage, lookahead), firstShare);
    case parallel::Schedule::VHalf:
    case parallel::Schedule::VMin:
        return blockPeak(schedule, stages, microBatches, stage, lookahead, firstShare);
    case parallel::Schedule::DualPipe:
    case parallel::Schedule::DualPipeV:
        return mostHeld(dualPipeProgram(schedule, stages, enough, stage), firstShare);
    default:
        break;
    }
    const int v = effectiveChunks(schedule, chunks);
    return static_cast<double>(std::min(static_cast<double>(microBatches) * v,
               1.0 * warmUpPasses(schedule, stages, chunks, microBatches, stage, lookahead) + 1.0))
        / v;
}

LossesInFlight lossesInFlight(parallel::Schedule schedule, int microBatches)
{
    if (schedule == parallel::Schedule::GPipe || schedule == parallel::Schedule::BreadthFirst)
        return {microBatches, microBatches - 1};
    return {1, runsPairs(schedule) ? 1 : 0};
}

} // namespace stratoplan::pipeline
