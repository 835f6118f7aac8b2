// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/program.h"

#include "core/pipeline/pipeline.h"

#include <algorithm>
#include <cassert>

namespace stratoplan {

bool canSimulate(Schedule schedule)
{
    return schedule == Schedule::GPipe || schedule == Schedule::OneFOneB || schedule == Schedule::Interleaved;
}

int effectiveChunks(Schedule schedule, int chunks)
{
    return schedule == Schedule::Interleaved ? std::max(chunks, 1) : 1;
}

int warmUpPasses(Schedule schedule, int stages, int chunks, int microBatches, int stage)
{
    const int v = effectiveChunks(schedule, chunks);
    const int total = microBatches * v;
    if (schedule == Schedule::GPipe)
        return total;
    const int behind = stages - stage - 1;
    return std::min(total, v > 1 ? 2 * behind + (v - 1) * stages : behind);
}

std::vector<PipelineStep> chunkPasses(bool backward, int stages, int chunks, int microBatches)
{
    assert(chunks == 1 || microBatches % stages == 0);
    std::vector<PipelineStep> passes;
    passes.reserve(static_cast<std::size_t>(microBatches) * static_cast<std::size_t>(chunks));
    const int groupSize = chunks == 1 ? microBatches : stages;
    for (int first = 0; first < microBatches; first += groupSize)
        for (int chunk = 0; chunk < chunks; ++chunk)
            for (int microBatch = first; microBatch < first + groupSize; ++microBatch)
                passes.push_back({backward, backward ? chunks - 1 - chunk : chunk, microBatch});
    return passes;
}

std::vector<PipelineStep> stageProgram(Schedule schedule, int stages, int chunks, int microBatches, int stage)
{
    const int v = effectiveChunks(schedule, chunks);
    const auto forward = chunkPasses(false, stages, v, microBatches);
    const auto backward = chunkPasses(true, stages, v, microBatches);
    const auto warmUp = static_cast<std::size_t>(warmUpPasses(schedule, stages, chunks, microBatches, stage));
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
