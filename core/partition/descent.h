// SPDX-License-Identifier: Apache-2.0
// Good divisions, found by looking around: what a programme starts from.
#pragma once

#include "core/partition/known_divisions.h"
#include "core/partition/layer_steps.h"

namespace stratoplan::partition {

/// Adds what one operator after the other finds best beside its neighbours, from one start and by one of the weights.
void descend(const Block& block, const std::vector<std::vector<State>>& states, LayerSteps& steps, std::size_t weight,
    const ChosenStates& start, KnownDivisions& known);

} // namespace stratoplan::partition
