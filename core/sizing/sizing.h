// SPDX-License-Identifier: Apache-2.0
// The whole question from its other ends: how many accelerators get a run done in so many days, of which kind, and how
// many tokens so much money pays for.
#pragma once

#include "core/capacity/capacity.h"
#include "core/search/search.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace stratoplan::sizing {

struct SizingAnswer {
    plan::Plan plan; ///< of as many nodes as are used, with their best strategy
    estimate::Estimate estimate;
    capacity::Capacity capacity; ///< of that plan
    bool isMet = false; ///< within the days; else it is the fastest of the largest cluster that was looked at
    bool isProven = false; ///< no fewer accelerators of these do, by estimates and the middle of their days
};

/// Where the look for the fewest stands.
struct SizingProgress {
    int nodes = 0; ///< at the most, that are searched now
    double share = 0; ///< of all that may be looked at, roughly; it never falls
    const SizingAnswer* best = nullptr; ///< so far; null before one fits
};
using SizingProgressCallback = std::function<void(const SizingProgress&)>;

struct SizingOptions {
    double days = 0; ///< wall time
    int mostNodes = 4096; ///< that are looked at
    search::SearchOptions search = {}; ///< its objective plays no part
};

/// The fewest accelerators of the nodes of the first group that get the run done, each number of them with its best
/// strategy of the space. A drawn network is left out: nodes reach one another with all of their NICs. Nothing where no
/// strategy fits or nothing is asked. Stopped: what is known by then, unproven. Precondition: check() finds no error in
/// the plan but for its strategy.
[[nodiscard]] std::optional<SizingAnswer> fewestFor(const plan::Plan& plan, const plan::SearchSpace& space,
    const plan::CapacityInputs& inputs, const SizingOptions& options, const std::stop_token& stop = {},
    const SizingProgressCallback& progress = {});

/// The plan on as many nodes of another kind, without a network.
[[nodiscard]] plan::Plan planOn(plan::Plan plan, const catalog::NodePreset& nodes);
/// What is asked of a run on that plan, which planOn() made of another: prices that are stated for the accelerators of
/// that one are not those of unlike ones, whose list price counts.
[[nodiscard]] plan::CapacityInputs inputsOn(
    plan::CapacityInputs inputs, const plan::Plan& plan, const plan::Plan& before);

/// The plan with another number of replicas, which share its batch, on as many times its nodes without a drawn network.
/// Nothing where that is not a whole number of nodes of each group that takes part, or rules forbid it.
[[nodiscard]] std::optional<plan::Plan> withReplicas(plan::Plan plan, int replicas);

/// Tokens that so much money pays for, on the plan as it is; 0 where no price is known, or it does not pay for the
/// least; infinite where they cost nothing, or next to nothing.
[[nodiscard]] double tokensFor(
    double money, const plan::Plan& plan, const estimate::Estimate& estimate, plan::CapacityInputs inputs);

} // namespace stratoplan::sizing
