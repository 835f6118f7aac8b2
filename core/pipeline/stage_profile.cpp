// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/stage_profile.h"

#include "core/pipeline/durations.h"

#include <algorithm>
#include <numeric>

namespace stratoplan::pipeline {
namespace {

void addPass(const detail::Durations& durations, std::size_t stage, const PipelineStep& step, Seconds pass,
    StageProfile& profile)
{
    const detail::ChunkDurations& d = durations.chunk(stage, step.chunk);
    switch (step.kind) {
    case PassKind::Forward:
        profile.forward += pass;
        profile.transfers += Seconds(d.hasNext && !d.nextIsHere ? d.sendForward : 0);
        break;
    case PassKind::Backward:
    case PassKind::InputGradient: {
        const Seconds recompute(durations.recomputed(stage, step, pass.value()));
        profile.recompute += recompute;
        profile.backward += pass - recompute;
        profile.transfers += Seconds(d.hasPrevious && !d.previousIsHere ? d.sendBackward : 0);
        break;
    }
    case PassKind::WeightGradient:
        profile.weightGradient += pass;
        break;
    }
}

} // namespace

Seconds StageProfile::idle() const
{
    return std::accumulate(waits.begin(), waits.end(), Seconds{});
}

std::vector<StageProfile> stageProfiles(const PipelineWork& work, const Timeline& timeline)
{
    const detail::Durations durations(work);
    const std::vector<WaitSeconds> waits = waitsByStage(timeline);
    const std::vector<StageProgram> programs = programsOf(work);
    std::vector<StageProfile> profiles(work.stages.size());
    for (std::size_t i = 0; i < profiles.size(); ++i) {
        StageProfile& profile = profiles[i];
        for (std::size_t k = 0; k < programs[i].size(); ++k)
            addPass(durations, i, programs[i][k], Seconds(durations.inProgram(i, programs[i], k)), profile);
        profile.optimizer = work.stages[i].optimizer;
        profile.parameterGather = work.stages[i].parameterGather;
        profile.gradientSync = work.stages[i].gradientSync;
        const Seconds passes = profile.forward + profile.backward + profile.recompute + profile.weightGradient;
        profile.gradientSyncExposed =
            std::max(Seconds{}, timeline.busy[i] - passes - profile.optimizer - profile.parameterGather);
        profile.waits = waits[i];
    }
    for (const Slice& slice : timeline.slices)
        if (slice.kind == SliceKind::ReshardForward || slice.kind == SliceKind::ReshardBackward)
            profiles[std::size_t(slice.stage)].resharding += Seconds(slice.duration);
    return profiles;
}

} // namespace stratoplan::pipeline
