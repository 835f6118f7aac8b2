// SPDX-License-Identifier: Apache-2.0
// Edits that mend a plan, priced before they are offered: broken rules, memory that runs out, layers that cannot be
// divided as asked.
#pragma once

#include "core/estimate/estimate.h"

#include <optional>
#include <vector>

namespace stratoplan::estimate {

/// Single edits that fit, the fastest of each kind, fastest first, at most three (where layers are divided in the best
/// way, degrees up to four times those of the plan); each label says what it saves and what it costs:
/// "Use selective recomputation: −14.2 GiB, step +3.1 %". `current` is the plan's own estimate.
[[nodiscard]] std::vector<plan::Remedy> memoryRemedies(
    const plan::Plan& plan, const Estimate& current, const EstimateOptions& options);

/// Edits against a problem of the plan's tensor partition that make it estimable, at most three: those that keep the
/// partition, then Megatron's. None of other problems.
[[nodiscard]] std::vector<plan::Remedy> partitionRemedies(
    const plan::Plan& plan, const plan::Problem& problem, const EstimateOptions& options);

inline constexpr double kWorthTelling = 0.0005; ///< of a step: less is no gain to be offered for

/// What a plan takes as it is.
struct StepNow {
    Seconds step{};
    bool fits = false;
};

/// Adds edits against broken rules. Where the plan has an estimate: those that fit if it does, and against what costs
/// time those that shorten the step, with what they bring. Where it has none: those that fit; else, marked so, those
/// that do not; else those that leave other errors; of the strategy none against warnings. Fastest first. As few are
/// priced as prices take long.
void addRuleRemedies(const plan::Plan& plan, const std::optional<StepNow>& now, const EstimateOptions& options,
    std::vector<plan::Problem>& problems);

/// Adds profiles of the catalogue to what is told of software that the accelerators do not run: those that all of them
/// do and that break no other rule, the stacks of the fewest vendors first, at most three.
void addSoftwareRemedies(const plan::Plan& plan, const catalog::Catalog& catalog, std::vector<plan::Problem>& problems);

/// Adds edits to what is told of stages and replicas on unlike nodes: layers, or micro-batches, by their speed, and the
/// usual order of ranks.
void addSpeedRemedies(
    const plan::Plan& plan, const StepNow& now, const EstimateOptions& options, std::vector<plan::Problem>& problems);

} // namespace stratoplan::estimate
