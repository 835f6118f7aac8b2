// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/stage_kinds.h"

#include "core/parallel/route.h"

#include <algorithm>
#include <utility>

namespace stratoplan {
namespace {

/// By stage its chunks.
StageKinds sorted(const std::vector<std::vector<StageLayout>>& chunks, bool loop, const Deployment* deployment)
{
    StageKinds result;
    const int stages = int(chunks.size());
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

} // namespace


StageKinds stageKinds(const Plan& plan, const Deployment* deployment)
{
    return sorted(placeChunks(plan), shape(plan.strategy.schedule) == PipelineShape::Loop, deployment);
}

StageKinds stageKinds(const std::vector<StageShare>& stages, const Deployment& deployment)
{
    std::vector<std::vector<StageLayout>> layouts;
    for (const StageShare& share : stages) {
        StageLayout& layout = layouts.emplace_back(1).front();
        layout.denseLayers = share.denseLayers;
        layout.moeLayers = share.moeLayers;
        layout.predictionModules = share.predictionModules;
    }
    layouts.front().front().embedding = true;
    layouts.back().front().head = true;
    return sorted(layouts, true, &deployment);
}

std::vector<PricedKind> priceKinds(const Plan& plan, const Deployment& deployment, const MicroBatchWork& work, MicroBatchCost cost, const StageKinds& split)
{
    addShardTraffic(deployment, work, cost);
    std::vector<PricedKind> priced;
    priced.reserve(split.kinds.size());
    for (const StageKind& kind : split.kinds) {
        StageLayout layout = kind.layout;
        countParameters(plan, work, layout);
        if (kind.chunks.empty()) {
            priced.push_back({layout, stagePasses(deployment, cost, layout, work.boundary, kind.stage), {}});
            continue;
        }
        std::vector<StageLayout> layouts = kind.chunks;
        for (StageLayout& chunk : layouts)
            countParameters(plan, work, chunk);
        std::vector<StagePasses> chunks = chunkCosts(deployment, cost, layouts, work.boundary, kind.stage);
        priced.push_back({layout, joinChunks(plan.strategy.schedule, chunks), std::move(chunks)});
    }
    return priced;
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
