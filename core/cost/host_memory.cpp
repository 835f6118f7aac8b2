// SPDX-License-Identifier: Apache-2.0
#include "core/cost/host_memory.h"

#include "core/cost/communication.h"
#include "core/cost/memory.h"

#include <algorithm>

namespace stratoplan::cost {

HostBytes hostBytes(const plan::Plan& plan, const workload::MicroBatchWork& work, const workload::StageLayout& stage)
{
    const parallel::Strategy& s = plan.strategy;
    HostBytes bytes;
    if (s.offload == parallel::Offload::Activations)
        for (const parallel::Recompute recompute : parallel::kAllRecompute)
            bytes.microBatch +=
                keptActivations(work.dense.activations, recompute) * layersWith(s, stage, false, recompute)
                + keptActivations(work.moe.activations, recompute) * layersWith(s, stage, true, recompute);
    if (s.offload == parallel::Offload::Optimizer) {
        const bool fp32 = storageBytes(plan.training.precision) == 4;
        for (const bool experts : {false, true}) {
            const StateBytes each = stateBytes(effectiveZeroStage(plan), shardRanks(s, experts),
                plan.training.fp32Gradients, fp32, plan.training.software.optimizerStateBytes);
            bytes.step += Bytes((experts ? stage.expertParameters : stage.parameters) * each.optimizer);
        }
    }
    return bytes;
}

Seconds offloadWait(const plan::Plan& plan, const Machine& machine, const workload::LayerActivations& activations,
    parallel::Recompute recompute, Seconds window)
{
    if (plan.strategy.offload != parallel::Offload::Activations)
        return {};
    return std::max(Seconds{}, keptActivations(activations, recompute) / machine.hostLink - window);
}

Seconds optimizerSeconds(const plan::Plan& plan, const Machine& machine, double parameters)
{
    const plan::SoftwareProfile& software = plan.training.software;
    const Bytes traffic(parameters * software.optimizerBytes);
    if (plan.strategy.offload != parallel::Offload::Optimizer)
        return traffic / machine.memory + software.optimizerFixed;
    const double element = storageBytes(plan.training.precision);
    const Seconds gradients = Bytes(parameters * (plan.training.fp32Gradients ? 4 : element)) / machine.hostLink;
    const Seconds weights = Bytes(parameters * element) / machine.hostLink;
    return std::max({gradients, traffic / machine.hostMemory, weights}) + software.optimizerFixed;
}

} // namespace stratoplan::cost
