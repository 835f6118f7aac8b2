// SPDX-License-Identifier: Apache-2.0
// The one public answer: estimate(plan) -> Estimate.
// A plan is lowered to operators and collectives per stage (core/workload), priced (core/cost), placed in a
// pipeline (core/pipeline) and summed here. The parts of the breakdown add up to the step time.
#pragma once

#include "core/catalog/catalog.h"
#include "core/estimate/evidence.h"
#include "core/estimate/extrapolation.h"
#include "core/estimate/replica_steps.h"
#include "core/estimate/stage_memory.h"
#include "core/pipeline/pipeline.h"
#include "core/plan/plan.h"
#include "core/plan/problem.h"
#include "core/pricing/breakdown.h"
#include "core/pricing/stage_boundary.h"

#include <stop_token>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::estimate {

struct Estimate {
    Seconds step{};
    Seconds stepLow{}, stepHigh{}; ///< range of the estimate: 10th and 90th percentile of what would be measured
    double tokensPerSecond = 0;
    FlopsPerSecond perAccelerator{}; ///< model FLOPs per second and accelerator
    double mfu =
        0; ///< model FLOPs utilisation of the dense peak at the training precision, attention over the full square
    double causalShare = 1; ///< of those FLOPs, with attention over the half that a causal mask leaves
    double hfu = 0; ///< the same with recomputed FLOPs
    bool fits = true;
    pricing::Breakdown breakdown; ///< of the stage that sets the pace
    std::vector<pricing::Breakdown> stages; ///< one per pipeline stage; each totals the step
    Memory memory;
    std::vector<std::vector<std::string>>
        stageNodes; ///< per stage: ids of the groups of nodes that it runs on; none where all nodes are of one kind
    std::vector<ReplicaStep> replicas; ///< of each kind, where replicas do not all run alike
    std::vector<pricing::StageBoundary> boundaries; ///< between stages, from the first on
    std::vector<Bytes> gradients; ///< per stage: what a rank sums with its replicas after its passes
    std::vector<Bytes>
        gathered; ///< per stage: parameters a rank has once it has gathered those that others have stepped
    pipeline::PipelineWork pipeline; ///< what the Gantt simulates
    parallel::Strategy strategy;
    parallel::Strategy settled; ///< with what it leaves open found: partitions of operators, the limit of ZB-auto
    std::vector<plan::Problem> problems; ///< warnings and notes, out of memory included
    std::vector<Extrapolation> extrapolates; ///< where the plan leaves what was measured
    bool operator==(const Estimate&) const = default;
};

struct EstimateOptions {
    bool remedies = true; ///< look for edits that mend its problems (prices several more plans)
    bool waits = true; ///< tell who waits on unlike nodes (prices each kind of them)
    bool range = true; ///< find the ranges and where the plan leaves what was measured; else they are the step time and
                       ///< the peak alone
    int filled = 0; ///< fields of the plan that were filled in by rule: each widens the range
    const catalog::Catalog* catalog =
        &catalog::shippedCatalog(); ///< of the measured kernels that the plan's parts name
    const RangeEvidence* evidence = &shippedEvidence(); ///< what the ranges come from
    std::stop_token stop{}; ///< of what takes long: the best partition of the layers over many ranks, and remedies
};

/// Errors: the problems that keep the plan from being priced (broken rules, or NotEstimable); none where it is asked to
/// stop before it has its answer.
[[nodiscard]] tl::expected<Estimate, std::vector<plan::Problem>> estimate(
    const plan::Plan& plan, const EstimateOptions& options = {});

} // namespace stratoplan::estimate
