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

/// Passes of one layer of a kind.
struct LayerCost {
    PassCost forward, backward, recompute;
};

/// What everything a stage may run costs for one micro-batch. It depends on what the work depends on, on recomputation, on where
/// the TP, CP and EP groups lie, and with ZeRO-3 on the groups that share out the parameters.
struct MicroBatchCost {
    LayerCost dense, moe;
    PassCost embeddingForward, embeddingBackward;
    PassCost headForward, headBackward;
    PassCost mergeForward, mergeBackward;
};
[[nodiscard]] MicroBatchCost microBatchCost(const Deployment& deployment, const MicroBatchWork& work);

struct StageCost {
    PassCost forward, backward, recompute;
    Seconds sendForward{};  ///< one boundary transfer's part that delays only the receiver
    Seconds sendBackward{};
    Overlap gradientSync;   ///< end of the step
    Seconds optimizer{};
};

/// The passes and transfers of stage `index`: all but the end of the step, which addEndOfStep() prices for `microBatches`.
[[nodiscard]] StageCost stagePasses(
    const Deployment& deployment, const MicroBatchCost& micro, const StageLayout& layout, Bytes boundary, int index);
void addEndOfStep(const Deployment& deployment, const StageLayout& layout, int microBatches, StageCost& stage);

[[nodiscard]] std::vector<StageCost> stageCosts(const Plan& plan, const Machine& machine, const Workload& workload);

} // namespace stratoplan
