// SPDX-License-Identifier: Apache-2.0
// What interrupts a run on its nodes, and how long it takes with that.
#pragma once

#include "core/capacity/capacity.h"

namespace stratoplan::capacity {

/// Nodes, accelerators and NICs that a run needs: any of them that fails stops it.
struct Parts {
    double accelerators = 0, nodes = 0, nics = 0;
};
[[nodiscard]] Parts partsOf(const cluster::Cluster& cluster, int ranks);

/// Wall time in seconds of a run that takes `training`, at the tenth and ninetieth percentile too: over what the step
/// is (factors on it), over what fails, and over when it does.
[[nodiscard]] Spread wallTime(double training, double lowFactor, double highFactor, const Goodput& goodput,
    const plan::CapacityInputs& inputs, const catalog::RunDefaults& defaults);

} // namespace stratoplan::capacity
