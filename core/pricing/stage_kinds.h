// SPDX-License-Identifier: Apache-2.0
// Inside of the pricing: the stages of a pipeline sorted into kinds that are alike, so that each kind is priced
// once.
#pragma once

#include "core/cost/communication.h"
#include "core/pricing/price_cache.h"
#include "core/pricing/stage_cost.h"
#include "core/pricing/stage_shares.h"
#include "core/workload/workload.h"

#include <cstdint>
#include <vector>

namespace stratoplan::pricing {

/// Stages that cost the same, whatever a micro-batch costs: as many layers, the same ends, the same links.
struct StageKind {
    workload::StageLayout layout; ///< its parameters are not counted
    std::vector<std::uint16_t> chunks{}; ///< where it has several, their layouts, as places in StageKinds::layouts
    bool first = false, last = false; ///< the ends of a V-shaped or two-way pipeline, which send nothing further
    int crossesForward = 0, crossesBackward = 0;
    int stage = 0; ///< the first of the kind
    std::size_t firstUnlike = 0, unlike = 0; ///< its chunks in StageKinds::chunks
};

/// Chunks of a kind of stage that are alike: in a loop those that hold the same, as the ends of the model tell
/// themselves. Where a pipeline turns round chunks may send otherwise for all that.
struct ChunkKind {
    std::uint16_t layout = 0; ///< in StageKinds::layouts
    int chunk = 0; ///< the first of them
    int times = 0;
};

struct StageKinds {
    std::vector<StageKind> kinds;
    std::vector<std::uint16_t> kindOf; ///< by stage
    // Where stages have several chunks.
    std::vector<workload::StageLayout> layouts; ///< all there are
    std::vector<ChunkKind> chunks;
    std::vector<std::uint16_t> chunkOf; ///< by stage, then chunk, its place in `chunks`
};

/// Without a deployment the links play no part.
[[nodiscard]] StageKinds stageKinds(const plan::Plan& plan, const cost::Deployment* deployment);
/// Of stages with these chunks (placeChunks()).
[[nodiscard]] StageKinds stageKinds(
    const std::vector<std::vector<workload::StageLayout>>& chunks, const cost::Deployment& deployment);
/// Of a loop of stages whose chunks do so much each, in order.
[[nodiscard]] StageKinds stageKinds(const std::vector<ChunkShares>& stages, const cost::Deployment& deployment);

/// Kinds of stages as they are priced.
struct PricedKinds {
    struct Kind {
        workload::StageLayout layout;
        StagePasses passes;
    };
    std::vector<Kind> kinds;
    std::vector<pipeline::ChunkWork> chunks; ///< as StageKinds::chunks, not stretched
};
/// `cost`: of a micro-batch, without what ZeRO-3 adds.
[[nodiscard]] PricedKinds priceKinds(const plan::Plan& plan, const cost::Deployment& deployment,
    const workload::MicroBatchWork& work, MicroBatchCost cost, const StageKinds& split);

/// What a strategy says of single stages, layers and recomputation, as numbers; none where they are alike.
[[nodiscard]] std::vector<int> stageNumbers(const parallel::Strategy& strategy);

/// One number for the stages that share the vocabulary and how they do; 0 where it is at the ends.
[[nodiscard]] int vocabularyNumber(const parallel::Strategy& strategy);

} // namespace stratoplan::pricing
