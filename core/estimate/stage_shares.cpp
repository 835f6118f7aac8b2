// SPDX-License-Identifier: Apache-2.0
#include "core/estimate/stage_shares.h"

#include "core/workload/workload.h"

#include <algorithm>

namespace stratoplan {
namespace {

bool doesNoMore(const StageShare& a, const StageShare& b)
{
    return a.denseLayers <= b.denseLayers && a.moeLayers <= b.moeLayers && a.lookUps <= b.lookUps && a.predictions <= b.predictions
        && a.predictionModules <= b.predictionModules;
}

} // namespace

StageShare wholeModel(const Plan& plan)
{
    const LayerCounts counts = layerCounts(plan.model);
    const int modules = plan.model.multiTokenPredictionDepth, ends = (1 + modules) * vocabularyStages(plan.strategy);
    StageShare whole{counts.dense, counts.moe, ends, ends, modules};
    (plan.model.moe ? whole.moeLayers : whole.denseLayers) += modules;
    return whole;
}

std::vector<StageShare> stageShares(const Plan& plan)
{
    std::vector<StageShare> shares;
    for (const StageLayout& stage : placeStages(plan)) {
        const StageShare share{stage.denseLayers, stage.moeLayers, lookUps(plan, stage), predictions(plan, stage), stage.predictionModules};
        if (std::any_of(shares.begin(), shares.end(), [&](const StageShare& other) { return doesNoMore(share, other); }))
            continue;
        std::erase_if(shares, [&](const StageShare& other) { return doesNoMore(other, share); });
        shares.push_back(share);
    }
    return shares;
}

} // namespace stratoplan
