// SPDX-License-Identifier: Apache-2.0
// Edits of the strategy that make an out-of-memory plan fit, or one whose layers cannot be divided as asked estimable.
#pragma once

#include "core/estimate/estimate.h"

#include <vector>

namespace stratoplan::estimate {

/// Single edits that fit, the fastest of each kind, fastest first, at most three (where layers are divided in the best
/// way, degrees up to four times those of the plan); each label says what it saves and
/// what it costs: "Use selective recomputation: −14.2 GiB, step +3.1 %". `current` is the plan's own estimate.
[[nodiscard]] std::vector<plan::Remedy> memoryRemedies(
    const plan::Plan& plan, const Estimate& current, const EstimateOptions& options);

/// Edits against a problem of the plan's tensor partition that make it estimable, at most three: those that keep the
/// partition, then Megatron's. None of other problems.
[[nodiscard]] std::vector<plan::Remedy> partitionRemedies(
    const plan::Plan& plan, const plan::Problem& problem, const EstimateOptions& options);

/// Adds profiles of the catalogue to what is told of software that the accelerators do not run: those that all of them
/// do and that break no other rule, the stacks of the fewest vendors first, at most three.
void addSoftwareRemedies(const plan::Plan& plan, const catalog::Catalog& catalog, std::vector<plan::Problem>& problems);

/// Adds edits to what is told of stages and replicas on unlike nodes: layers, or micro-batches, by their speed.
void addSpeedRemedies(const plan::Plan& plan, const EstimateOptions& options, std::vector<plan::Problem>& problems);

} // namespace stratoplan::estimate
