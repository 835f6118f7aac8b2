// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/stage_shares.h"

#include "core/workload/workload.h"

#include <algorithm>

namespace stratoplan::pricing {

bool doesNoMore(const StageShare& a, const StageShare& b)
{
    return a.denseLayers <= b.denseLayers && a.moeLayers <= b.moeLayers && a.lookUps <= b.lookUps
        && a.predictions <= b.predictions && a.predictionModules <= b.predictionModules;
}

StageShare wholeModel(const plan::Plan& plan)
{
    const model::LayerCounts counts = layerCounts(plan.model);
    const int modules = plan.model.multiTokenPredictionDepth, ends = (1 + modules) * vocabularyStages(plan.strategy);
    StageShare whole{counts.dense, counts.moe, ends, ends, modules};
    (plan.model.moe ? whole.moeLayers : whole.denseLayers) += modules;
    return whole;
}

std::vector<StageShare> busiest(std::span<const StageShare> stages)
{
    std::vector<StageShare> shares;
    for (const StageShare& share : stages) {
        if (std::any_of(
                shares.begin(), shares.end(), [&](const StageShare& other) { return doesNoMore(share, other); }))
            continue;
        std::erase_if(shares, [&](const StageShare& other) { return doesNoMore(other, share); });
        shares.push_back(share);
    }
    return shares;
}

std::vector<StageShare> wholeStages(const std::vector<ChunkShares>& stages)
{
    std::vector<StageShare> wholes;
    wholes.reserve(stages.size());
    for (const ChunkShares& chunks : stages) {
        StageShare& all = wholes.emplace_back();
        for (const StageShare& chunk : chunks) {
            all.denseLayers += chunk.denseLayers;
            all.moeLayers += chunk.moeLayers;
            all.lookUps += chunk.lookUps;
            all.predictions += chunk.predictions;
            all.predictionModules += chunk.predictionModules;
        }
    }
    return wholes;
}

std::vector<ChunkShares> loopShares(const model::Transformer& model, std::span<const int> layers, int chunks)
{
    std::vector<ChunkShares> stages(layers.size(), ChunkShares(std::size_t(chunks)));
    int layer = 0;
    const auto place = [&](StageShare& stage, int count) {
        for (const int end = layer + count; layer < end; ++layer)
            ++(isMoeLayer(model, layer) ? stage.moeLayers : stage.denseLayers);
    };
    for (int chunk = 0; chunk < chunks; ++chunk) {
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const int spare = layers[i] % chunks;
            const bool takesSpare = i + 1 == stages.size() ? chunk < spare : chunk >= chunks - spare;
            place(stages[i][std::size_t(chunk)], layers[i] / chunks + int(takesSpare));
        }
    }
    const int modules = model.multiTokenPredictionDepth;
    StageShare& last = stages.back().back();
    place(last, modules);
    stages.front().front().lookUps = 1;
    last.lookUps = last.predictionModules = modules;
    last.predictions = 1 + modules;
    return stages;
}

std::vector<StageShare> stageShares(const plan::Plan& plan)
{
    std::vector<StageShare> shares;
    for (const workload::StageLayout& stage : workload::placeStages(plan))
        shares.push_back({stage.denseLayers, stage.moeLayers, lookUps(plan, stage), predictions(plan, stage),
            stage.predictionModules});
    return busiest(shares);
}

} // namespace stratoplan::pricing
