// SPDX-License-Identifier: Apache-2.0
#include "core/search/uneven_splits.h"

#include <algorithm>
#include <climits>

namespace stratoplan::search {
namespace {

void lower(pricing::StageShare& least, const pricing::StageShare& share)
{
    least = {std::min(least.denseLayers, share.denseLayers), std::min(least.moeLayers, share.moeLayers), share.lookUps,
        share.predictions, share.predictionModules};
}

void lowerAll(UnevenSplits& splits, const std::vector<pricing::StageShare>& stages,
    const std::vector<pricing::ChunkShares>& ofChunks)
{
    constexpr pricing::StageShare kAny{INT_MAX, INT_MAX, 0, 0, 0};
    const std::size_t chunks = ofChunks.front().size();
    splits.least.resize(stages.size(), kAny);
    splits.leastChunks.resize(stages.size(), pricing::ChunkShares(chunks, kAny));
    for (std::size_t i = 0; i < stages.size(); ++i) {
        lower(splits.least[i], stages[i]);
        for (std::size_t c = 0; c < chunks; ++c)
            lower(splits.leastChunks[i][c], ofChunks[i][c]);
    }
}

/// A split whose stages each do no less of anything than some stage of another one is no less busy than that, whatever
/// its pieces take.
bool isBusier(const std::vector<pricing::StageShare>& a, const std::vector<pricing::StageShare>& b)
{
    return std::ranges::all_of(b, [&](const pricing::StageShare& less) {
        return std::ranges::any_of(a, [&](const pricing::StageShare& more) { return doesNoMore(less, more); });
    });
}

void addIfLean(
    std::vector<std::vector<pricing::StageShare>>& leanest, const std::vector<pricing::StageShare>& busiestStages)
{
    if (std::ranges::any_of(leanest, [&](const auto& other) { return isBusier(busiestStages, other); }))
        return;
    std::erase_if(leanest, [&](const auto& other) { return isBusier(other, busiestStages); });
    leanest.push_back(busiestStages);
}

} // namespace

UnevenSplits unevenSplits(const model::Transformer& model, const std::vector<std::vector<int>>& splits, int chunks,
    const std::stop_token& stop)
{
    UnevenSplits result;
    for (const std::vector<int>& layers : splits) {
        if (stop.stop_requested())
            break;
        const std::vector<pricing::ChunkShares> ofChunks = pricing::loopShares(model, layers, chunks);
        const std::vector<pricing::StageShare> stages = wholeStages(ofChunks);
        lowerAll(result, stages, ofChunks);
        result.busiest.push_back(busiest(stages));
        addIfLean(result.leanest, result.busiest.back());
    }
    return result;
}

} // namespace stratoplan::search
