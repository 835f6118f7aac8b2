// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/program.h"

#include "core/pipeline/pipeline.h"

#include <algorithm>
#include <cassert>

namespace stratoplan {

bool canSimulate(Schedule schedule)
{
    switch (schedule) {
    case Schedule::GPipe:
    case Schedule::OneFOneB:
    case Schedule::Interleaved:
    case Schedule::EagerOneFOneB:
    case Schedule::BreadthFirst:
    case Schedule::ZbH1:
    case Schedule::ZbH2:
        return true;
    default:
        return false;
    }
}

bool splitsBackward(Schedule schedule)
{
    return schedule == Schedule::ZbH1 || schedule == Schedule::ZbH2;
}

bool staggersSteps(Schedule schedule)
{
    return schedule == Schedule::ZbH2;
}

int effectiveChunks(Schedule schedule, int chunks)
{
    return schedule == Schedule::Interleaved || schedule == Schedule::BreadthFirst ? std::max(chunks, 1) : 1;
}

int warmUpPasses(Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead)
{
    const int v = effectiveChunks(schedule, chunks);
    const int total = microBatches * v;
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

std::vector<PipelineStep> chunkPasses(Schedule schedule, bool backward, int stages, int chunks, int microBatches)
{
    const bool all = chunks == 1 || schedule == Schedule::BreadthFirst;
    assert(all || microBatches % stages == 0);
    std::vector<PipelineStep> passes;
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
    assert(splitsBackward(schedule));
    return std::min(microBatches, (schedule == Schedule::ZbH1 ? stages : 2 * stages - 1) + lookahead);
}

namespace {

/// Warm-up, then forward and backward in turn, each after as many weight gradients as keep to the limit; when the forwards have
/// run out, a weight gradient before every backward pass but the first of them, where there is one to run.
std::vector<PipelineStep> zeroBubbleProgram(Schedule schedule, int stages, int microBatches, int stage, int lookahead)
{
    const int limit = zeroBubbleLimit(schedule, stages, microBatches, lookahead);
    std::vector<PipelineStep> program;
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
        run(PassKind::Backward, backwards);
    }
    while (weights < microBatches)
        run(PassKind::WeightGradient, weights);
    return program;
}

} // namespace

std::vector<PipelineStep> stageProgram(Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead)
{
    if (splitsBackward(schedule))
        return zeroBubbleProgram(schedule, stages, microBatches, stage, lookahead);
    const int v = effectiveChunks(schedule, chunks);
    const auto forward = chunkPasses(schedule, false, stages, v, microBatches);
    const auto backward = chunkPasses(schedule, true, stages, v, microBatches);
    const auto warmUp = static_cast<std::size_t>(warmUpPasses(schedule, stages, chunks, microBatches, stage, lookahead));
    std::vector<PipelineStep> program(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(warmUp));
    program.reserve(2 * forward.size());
    for (std::size_t k = warmUp; k < forward.size(); ++k) {
        program.push_back(forward[k]);
        program.push_back(backward[k - warmUp]);
    }
    program.insert(program.end(), backward.end() - static_cast<std::ptrdiff_t>(warmUp), backward.end());
    return program;
}

} // namespace stratoplan
