// SPDX-License-Identifier: Apache-2.0
// Seconds of one micro-batch on each pipeline stage, and of the end of the step, split the way the breakdown shows them.
#pragma once

#include "core/cost/communication.h"
#include "core/cost/machine.h"
#include "core/estimate/estimate.h"
#include "core/workload/workload.h"

#include <vector>

namespace stratoplan {

/// One pass (forward, backward, recomputation) of one micro-batch.
struct PassCost {
    Seconds compute{};
    Seconds host{}; ///< the accelerator waits for the host to launch kernels
    CommunicationSeconds exposed;
    CommunicationSeconds hidden;
    [[nodiscard]] Seconds total() const { return compute + host + exposed.total(); }
};

struct StageCost {
    PassCost forward, backward, recompute;
    Seconds sendForward{};  ///< one boundary transfer's part that delays only the receiver
    Seconds sendBackward{};
    Overlap gradientSync;   ///< end of the step
    Seconds optimizer{};
};

[[nodiscard]] std::vector<StageCost> stageCosts(const Plan& plan, const Machine& machine, const Workload& workload);

} // namespace stratoplan
