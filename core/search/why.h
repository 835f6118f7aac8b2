// SPDX-License-Identifier: Apache-2.0
// Why a strategy is not the answer of a search: what binds it, in numbers, the best strategy one change away from it, and what more
// memory, bandwidth or nodes would be worth.
#pragma once

#include "core/estimate/estimate.h"
#include "core/search/search.h"

#include <optional>
#include <string>
#include <vector>

namespace stratoplan {

/// What keeps a strategy from being the best.
enum class Binding {
    Nothing,     ///< it is the best
    Illegal,     ///< it breaks a rule, or cannot be estimated
    OutOfMemory,
    Slower,
};
[[nodiscard]] std::string_view key(Binding binding); // "nothing", "illegal", "out_of_memory", "slower"

/// A part of the step in which it differs from the best one, as a share of the best step: "bubble", 0.09.
struct StepPart {
    std::string name;
    double share = 0;
};

/// A strategy that differs in one dimension.
struct Neighbour {
    std::string change; ///< "micro-batch 2 instead of 4"
    Strategy strategy;
    Seconds step{};
    Bytes peak{};
};

struct Why {
    Binding binding = Binding::Nothing;
    std::vector<Problem> problems; ///< if illegal
    Bytes over{};                  ///< more than an accelerator holds
    int stage = 0;                 ///< the fullest
    double bubble = 0;             ///< share of the step in which stages wait for one another
    Seconds step{};
    double slower = 0;             ///< than the best, as a share of its step
    std::vector<StepPart> parts;   ///< of that, the largest first
    std::optional<Neighbour> nearest; ///< the fastest of those that are legal and fit; nothing if there is none
};

/// Of the plan with its strategy, whether the space holds it or not, against the plan with the best one. Steps are simulated.
[[nodiscard]] Why why(const Plan& plan, const Plan& best);

/// What a resource is worth: the best step with `factor` times as much of it.
struct MarginalValue {
    std::string resource; ///< "memory", "network bandwidth", "scale-up bandwidth", "nodes"
    double factor = 1;
    std::optional<Seconds> step; ///< of the best strategy then; nothing if stopped
    std::optional<Seconds> own;  ///< of the plan's strategy then, simulated; nothing where it is illegal or does not fit
};
/// Searches again with a tenth more of each, and with twice the nodes. The plan's own strategy uses more nodes by as many more
/// replicas.
[[nodiscard]] std::vector<MarginalValue> marginalValues(
    const Plan& plan, const SearchSpace& space, SearchOptions options, const std::stop_token& stop = {});

} // namespace stratoplan
