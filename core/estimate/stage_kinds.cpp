// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/stage_kinds.h"

#include "core/parallel/route.h"

#include <algorithm>

namespace stratoplan {

StageKinds stageKinds(const Plan& plan, const Deployment* deployment)
{
    StageKinds result;
    const std::vector<std::vector<StageLayout>> chunks = placeChunks(plan);
    const int stages = int(chunks.size());
    const bool loop = shape(plan.strategy.schedule) == PipelineShape::Loop;
    const auto crosses = [&](int from) { return deployment != nullptr && boundaryCrosses(*deployment, from); };
    for (int i = 0; i < stages; ++i) {
        StageKind kind{{}, {}, !loop && i == 0, !loop && i == stages - 1, crosses(i), crosses(i == 0 ? stages - 1 : i - 1), i};
        for (const StageLayout& chunk : chunks[std::size_t(i)])
            kind.layout += chunk;
        if (!loop)
            kind.chunks = chunks[std::size_t(i)];
        const auto known = std::find_if(result.kinds.begin(), result.kinds.end(), [&](const StageKind& other) {
            return kind.layout == other.layout && kind.chunks == other.chunks && kind.first == other.first && kind.last == other.last
                && kind.crossesForward == other.crossesForward && kind.crossesBackward == other.crossesBackward;
        });
        result.kindOf.push_back(static_cast<std::uint16_t>(known - result.kinds.begin()));
        if (known == result.kinds.end())
            result.kinds.push_back(kind);
    }
    return result;
}

std::vector<int> toldOfStages(const Strategy& s)
{
    std::vector<int> told = s.stageLayers;
    for (int stage = 0; mixesRecompute(s) && stage < s.pp; ++stage) {
        const StageRecompute own = stageRecompute(s, stage);
        told.insert(told.end(), {-1 - int(own.others), own.full});
    }
    return told;
}

int vocabularyNumber(const Strategy& s)
{
    constexpr int kPlacements = 4;
    return vocabularyStages(s) > 1 ? s.pp * kPlacements + int(s.vocabularyPlacement) : 0;
}

WorkKey workKey(const Strategy& s)
{
    WorkKey key;
    for (const int number : {s.tp, s.cp, s.ep, s.etp, s.microBatch, int(s.contextMethod), int(s.sequenceParallel), vocabularyNumber(s)})
        key.add(number);
    return key;
}

} // namespace stratoplan
