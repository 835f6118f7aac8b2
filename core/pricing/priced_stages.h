// SPDX-License-Identifier: Apache-2.0
// Every stage of a plan, priced: what it runs, holds and sends. Stages with a TP of their own, or on nodes of their
// own, are those of the pipeline in which all have it, or run on these; their boundaries are resharded, or wait for the
// slower end (core/cost/resharding.h).
#pragma once

#include "core/cost/fleet.h"
#include "core/cost/memory.h"
#include "core/plan/problem.h"
#include "core/pricing/stage_boundary.h"
#include "core/pricing/stage_cost.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::pricing {

struct PricedStages {
    workload::Workload workload; ///< of the strategy itself
    MicroBatchCost micro; ///< the same
    cluster::Span pipeline;
    std::vector<StageCost> costs;
    std::vector<pipeline::ChunkWork> chunks; ///< unlike ones, not stretched; none where stages have one each
    std::vector<std::uint16_t> chunkOf; ///< by stage, then chunk, its place in `chunks`
    std::vector<cost::StageBytes> memory;
    std::vector<Bytes> capacity; ///< of the smallest accelerator of each stage
    Bytes hostPeak{}; ///< offloaded of the stage that fills most of its host, per accelerator
    Bytes hostCapacity{}; ///< there
    std::vector<StageBoundary> boundaries; ///< none where there is one stage
};

/// The plan with what it leaves open found: the best partition of its operators (best_partition.h), the limit that its
/// memory gives to a ZB-auto. Precondition: check(plan) has no errors, and notEstimable() no objection. Error: why its
/// operators cannot be divided, or as withPartition(). `replicas`: those of one kind, on their nodes; by default every
/// stage waits for the slowest rank of all.
[[nodiscard]] tl::expected<plan::Plan, plan::Problem> settled(
    plan::Plan plan, cost::Fleet& fleet, const std::stop_token& stop = {}, const parallel::ReplicaKind& replicas = {});

/// Precondition: the plan is settled.
[[nodiscard]] PricedStages priceStages(
    const plan::Plan& plan, cost::Fleet& fleet, const parallel::ReplicaKind& replicas = {});
/// What the pipeline simulates of them.
[[nodiscard]] pipeline::PipelineWork pipelineWork(const plan::Plan& plan, const PricedStages& priced, double stretch);

/// The stage that fills most of its accelerators' memory, the first of equals.
[[nodiscard]] std::size_t fullestStage(const PricedStages& priced);

/// The plan as a stage sees it: with the TP, DP and micro-batch of that stage for all.
[[nodiscard]] plan::Plan stagePlan(const plan::Plan& plan, int stage);

} // namespace stratoplan::pricing
