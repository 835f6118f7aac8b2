// SPDX-License-Identifier: Apache-2.0
// What the experts of a layer take beside its operators that are divided in space and time: with it the rows of a
// divided layer add up to what its stage takes.
#pragma once

#include "core/cost/machine.h"
#include "core/partition/priced_layer.h"
#include "core/plan/plan.h"

namespace stratoplan::pricing {

/// Of a micro-batch in one layer, on each rank.
struct LayerExperts {
    partition::PassPrices passes; ///< their computation, and the traffic to them and back
    double parameters = 0;
};

/// None where the model has no experts. Precondition: dividesLayers(), and the plan is settled.
[[nodiscard]] LayerExperts layerExperts(const plan::Plan& plan, const cost::Machine& machine);

/// Puts them with the operator that stands for them.
void addExperts(const LayerExperts& experts, partition::PricedLayer& layer);

} // namespace stratoplan::pricing
