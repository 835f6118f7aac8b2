// SPDX-License-Identifier: Apache-2.0
// Inside of the strategy pricer: the stages of a pipeline sorted into kinds that are alike, so that each kind is priced once.
#pragma once

#include "core/cost/communication.h"
#include "core/estimate/price_cache.h"
#include "core/estimate/stage_cost.h"
#include "core/estimate/stage_shares.h"
#include "core/workload/workload.h"

#include <cstdint>
#include <vector>

namespace stratoplan {

/// Stages that cost the same, whatever a micro-batch costs: as many layers, the same ends, the same links.
struct StageKind {
    StageLayout layout; ///< its parameters are not counted
    std::vector<StageLayout> chunks; ///< of V-shaped and two-way schedules
    bool first = false, last = false; ///< the ends of such a pipeline, which send nothing further
    bool crossesForward = false, crossesBackward = false;
    int stage = 0; ///< the first of the kind
};

struct StageKinds {
    std::vector<StageKind> kinds;
    std::vector<std::uint16_t> kindOf; ///< by stage
};

/// Without a deployment the links play no part.
[[nodiscard]] StageKinds stageKinds(const Plan& plan, const Deployment* deployment);
/// Of a loop of stages that do so much each, in order.
[[nodiscard]] StageKinds stageKinds(const std::vector<StageShare>& stages, const Deployment& deployment);

/// One kind of stage as it is priced.
struct PricedKind {
    StageLayout layout;
    StagePasses passes;
    std::vector<StagePasses> chunks; ///< of V-shaped and two-way schedules
};
/// `cost`: of a micro-batch, without what ZeRO-3 adds.
[[nodiscard]] std::vector<PricedKind> priceKinds(
    const Plan& plan, const Deployment& deployment, const MicroBatchWork& work, MicroBatchCost cost, const StageKinds& split);

/// What a strategy tells of single stages, layers and recomputation, as numbers; none where they are alike.
[[nodiscard]] std::vector<int> toldOfStages(const Strategy& strategy);

/// One number for the stages that share the vocabulary and how they do; 0 where it is at the ends.
[[nodiscard]] int vocabularyNumber(const Strategy& strategy);

/// What a micro-batch's work depends on of a strategy.
using WorkKey = Key<8>;
[[nodiscard]] WorkKey workKey(const Strategy& strategy);

} // namespace stratoplan
