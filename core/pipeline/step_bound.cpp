// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/durations.h"
#include "core/pipeline/folded_chain.h"
#include "core/pipeline/shared_programs.h"
#include "core/pipeline/stage_chain.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stratoplan::pipeline {

using namespace detail;

namespace {

/// Reductions beside the passes leave the last chunk's.
double syncOf(const PipelineWork& work, const StageWork& stage)
{
    const bool beside = work.timing.sync == parallel::SyncTime::Asynchronous;
    return stage.gradientSync.value() / (beside ? effectiveChunks(work.schedule, work.chunks) : 1);
}

Seconds chainBound(const PipelineWork& work)
{
    const int chunks = effectiveChunks(work.schedule, work.chunks);
    std::vector<StageTerms> stages;
    for (std::size_t i = 0; i < work.stages.size(); ++i) {
        const StageWork& w = work.stages[i];
        const bool first = i == 0;
        const bool last = i + 1 == work.stages.size();
        StageTerms& terms = stages.emplace_back(StageTerms{w.forward.value(), w.backward.value(),
            w.weightGradient.value(), syncOf(work, w), (w.optimizer + w.parameterGather).value(),
            last ? 0 : w.sendForward.value(), first ? 0 : w.sendBackward.value(),
            first ? 0 : work.stages[i - 1].sendForward.value(), last ? 0 : work.stages[i + 1].sendBackward.value(),
            last ? 0 : w.reshardForward.value(), first ? 0 : w.reshardBackward.value()});
        const ChunkWork* const firstChunk = ownChunk(work, i, 0);
        if (firstChunk == nullptr) {
            countChunks(chunks, terms);
            continue;
        }
        ChunkWork quickest = *firstChunk;
        for (int c = 1; c < chunks; ++c)
            quicken(quickest, *ownChunk(work, i, c));
        countChunks(chunks, *firstChunk, quickest, terms);
    }
    return Seconds(chainSeconds(chainRules(work), stages));
}

ChunkWork chunkOf(const PipelineWork& work, const Durations& durations, int stage, int chunk)
{
    if (const ChunkWork* const chunkWork = ownChunk(work, std::size_t(stage), chunk))
        return *chunkWork;
    const ChunkDurations& d = durations.chunk(std::size_t(stage), chunk);
    return {Seconds(d.forward), Seconds(d.backward), {}, Seconds(d.weightGradient), Seconds(d.sendForward),
        Seconds(d.sendBackward), Seconds(d.forwardTraffic), Seconds(d.backwardTraffic)};
}

Seconds foldedBound(const PipelineWork& work, const FoldedRules& rules)
{
    const Durations durations(work);
    const auto stageOf = [&](int stage, int outer) {
        const StageWork& w = work.stages[std::size_t(stage)];
        return FoldedStage{stage, chunkOf(work, durations, stage, outer), chunkOf(work, durations, stage, 1 - outer),
            Seconds(syncOf(work, w)) + w.optimizer + w.parameterGather};
    };
    FoldedPrefix prefix;
    for (int place = 0; place < rules.places; ++place) {
        std::vector<FoldedStage> stages{stageOf(place, 0)};
        if (rules.twoWay)
            stages.push_back(stageOf(int(work.stages.size()) - 1 - place, 1));
        prefix = extended(rules, place, prefix, foldedTerms(rules, place, stages));
    }
    return Seconds(prefix.longest);
}

} // namespace

Seconds stepBound(const PipelineWork& work, SharedPrograms* shared)
{
    const Seconds closed = pipelineSeconds(work);
    if (!work.order.empty())
        return closed; // of another program than the schedule's
    if (shape(work.schedule) != parallel::PipelineShape::Loop)
        return std::max(closed, foldedBound(work, shared != nullptr ? shared->rules(work) : foldedRules(work)));
    return std::max(closed, chainBound(work));
}

} // namespace stratoplan::pipeline
