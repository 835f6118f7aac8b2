// SPDX-License-Identifier: Apache-2.0
// Every kind of replica of a plan, priced: replicas on unlike nodes, or with unlike numbers of micro-batches, each run
// a pipeline of their own until they reduce the gradients, and the step is that of the slowest. What they reduce is
// priced over the network that all of them share.
#pragma once

#include "core/cost/fleet.h"
#include "core/pipeline/pipeline.h"
#include "core/pricing/priced_stages.h"
#include "core/pricing/strategy_price.h"

#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::pricing {

struct PricedReplicas {
    parallel::ReplicaKind kind;
    plan::Plan plan; ///< settled, as if all replicas were of this kind
    PricedStages stages;
    pipeline::PipelineWork work;
};

/// At least one. Errors: as settled().
[[nodiscard]] tl::expected<std::vector<PricedReplicas>, plan::Problem> priceReplicas(
    const plan::Plan& plan, cost::Fleet& fleet, const std::stop_token& stop = {});

/// The kind whose fullest stage fills most of its accelerators' memory, the first of equals.
[[nodiscard]] const PricedReplicas& fullest(const std::vector<PricedReplicas>& replicas);

/// The price of a strategy whose stages or replicas are unlike, as price() gives it (strategy_price.h); the plan's own
/// strategy plays no part.
[[nodiscard]] std::optional<StrategyPrice> priceUnlike(
    plan::Plan plan, const parallel::Strategy& strategy, cost::Fleet& fleet, PipelineTime time);

} // namespace stratoplan::pricing
