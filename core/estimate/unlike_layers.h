// SPDX-License-Identifier: Apache-2.0
// Whether layers that are divided unlike each other would take less time than alike ones.
#pragma once

#include "core/pricing/best_partition.h"

#include <functional>
#include <optional>

namespace stratoplan::estimate {

/// Of a micro-batch and one layer, without its routed experts, with what its parameters take at the end of the step.
struct UnlikeLayers {
    int layers = 1; ///< of the model
    // Whatever they need:
    Seconds alike{}; ///< the cheapest layer
    Seconds leastMean{}; ///< of however many layers, where the last one ends as the first one begins: exact
    Seconds closedMean{}; ///< of the model's layers so: exact
    Seconds openMean{}; ///< the same with any ends
    // Within memory, where anything fits and no stage holds the smaller of two things (pricing::Terms::otherwise):
    std::optional<Seconds> alikeWithin{};
    std::optional<Seconds> boundWithin{}; ///< of the layers of the stage that is then fullest: no less than this
};

/// Nothing where the ways to divide a layer are too many to compare all of them: of groups of 32 ranks with the score
/// matrix in memory, and of 64; nor where it is asked to stop, which it hears within a product of matrices. `progress`
/// is called now and then. Precondition: as of the programme.
[[nodiscard]] std::optional<UnlikeLayers> unlikeLayers(const plan::Plan& plan, const cost::Machine& machine,
    pricing::PlanProgramme& layer, const std::stop_token& stop, const std::function<void(double share)>& progress = {});

} // namespace stratoplan::estimate
