// SPDX-License-Identifier: Apache-2.0
// A first plan for a model or a cluster that came without one.
#pragma once

#include "core/catalog/catalog.h"
#include "core/plan/problem.h"

#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::exchange {

/// On the fewest DGX H100 (a power of two) whose memory holds the states of the model twice, or more where FSDP with
/// full recomputation, experts over eight ranks where they divide and one sequence a rank, does not fit: the fastest
/// strategy of the default space that the framework of its software profile runs, simulated; that FSDP where the search
/// finds none. `longestSequence` bounds the sequence of 4,096 tokens; 0 = not known. The same everywhere. Errors: the
/// rules of check() that the model itself breaks.
[[nodiscard]] tl::expected<plan::Plan, std::vector<plan::Problem>> startingPlan(
    const model::Transformer& model, int longestSequence, const catalog::Catalog& catalog);

/// The largest of a few models of the catalogue (Llama 3, GPT-2) whose states take up to half of the memory of all
/// accelerators that cables join and that FSDP with full recomputation fits, with the strategy that is found as above;
/// that FSDP where the plan cannot be estimated. Software and precision are those that all accelerators run. Errors:
/// the rules of check() that the cluster breaks.
[[nodiscard]] tl::expected<plan::Plan, std::vector<plan::Problem>> startingPlan(
    const cluster::Cluster& cluster, const catalog::Catalog& catalog);

/// The plan on another cluster. Its strategy takes as many replicas as there is room for, divide the batch and break no
/// rule of check(); where no number does, it stays as it is.
[[nodiscard]] plan::Plan onCluster(plan::Plan plan, const cluster::Cluster& cluster);

} // namespace stratoplan::exchange
