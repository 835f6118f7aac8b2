// SPDX-License-Identifier: Apache-2.0
#include "core/search/uneven_leaves.h"

#include <algorithm>

namespace stratoplan::search {

std::vector<UnevenLeaves> unevenLeaves(const space::SpaceTree& tree, KnownPipelines& known, int pp,
    std::span<const space::PipelinePick> picks, const std::stop_token& stop)
{
    std::vector<UnevenLeaves> result;
    for (std::size_t begin = 0, end = 0; begin < picks.size(); begin = end) {
        const int chunks = picks[begin].vpp;
        while (end < picks.size() && picks[end].vpp == chunks)
            ++end;
        const UnevenSplits& splits = known.splits(pp, chunks, stop);
        for (std::size_t i = 0; i < splits.busiest.size(); ++i)
            result.push_back(
                {picks.subspan(begin, end - begin), &tree.unevenSplits(pp, chunks)[i], &splits.busiest[i]});
    }
    return result;
}

LeafPipelines leafPipelines(std::span<const space::PipelinePick> picks, const std::vector<int>* layers)
{
    LeafPipelines pipelines;
    for (const space::PipelinePick& pick : picks)
        pipelines.push_back({pick, layers});
    return pipelines;
}

Seconds leastStep(
    const UnevenLeaves& split, const pricing::PieceSeconds& pieces, const pricing::PricedDivision& division)
{
    Seconds most{};
    for (const pricing::StageShare& share : *split.busiest)
        most = std::max(most, share * pieces);
    return division.stepOfStage(most);
}

} // namespace stratoplan::search
