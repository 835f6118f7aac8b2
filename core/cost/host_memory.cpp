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
            const auto each = [&](plan::Updated updated) {
                return stateBytes(effectiveZeroStage(plan), shardRanks(s, experts), plan.training.fp32Gradients, fp32,
                    optimizerState(plan.training, updated).total())
                    .optimizer;
            };
            const double ofLayers = each(plan::Updated::Layers), ofTables = each(plan::Updated::Tables);
            bytes.step += experts ? Bytes(stage.expertParameters * ofLayers)
                                  : Bytes(stage.parameters * ofLayers + stage.tables() * (ofTables - ofLayers));
            if (streamsGradients(plan)) // as wide as they travel
                bytes.step += Bytes((experts ? stage.expertParameters : stage.parameters)
                    * stateBytes(effectiveZeroStage(plan), shardRanks(s, experts), false, fp32).gradients);
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

Seconds gradientWait(
    const plan::Plan& plan, const Machine& machine, const UpdatedShare& share, Seconds backward, int microBatches)
{
    if (!streamsGradients(plan))
        return {};
    const Bytes gradients(share.parameters * storageBytes(plan.training.precision));
    return std::max(Seconds{}, gradients / machine.hostLink - backward) * microBatches;
}

UpdatedShare updatedShare(const workload::StageLayout& stage, double shards, double expertShards)
{
    return {stage.parameters / shards + stage.expertParameters / expertShards, stage.tables() / shards,
        stage.orthogonalisation.shared / shards + stage.orthogonalisation.experts / expertShards};
}

Seconds optimizerSeconds(const plan::Plan& plan, const Machine& machine, const UpdatedShare& share)
{
    return optimizerSeconds(plan, machine, share, streamsGradients(plan));
}

Seconds optimizerSeconds(
    const plan::Plan& plan, const Machine& machine, const UpdatedShare& share, bool gradientsAreThere)
{
    const plan::SoftwareProfile& software = plan.training.software;
    const auto moved = [&](plan::Updated updated) {
        return optimizerTraffic(plan.training.optimizer, software.optimizerBytes, updated);
    };
    const double ofLayers = moved(plan::Updated::Layers);
    const double more = share.tables > 0 ? moved(plan::Updated::Tables) - ofLayers : 0;
    const Bytes traffic(share.parameters * ofLayers + share.tables * more);
    // Muon orthogonalises on the accelerator, wherever the momentum lies.
    const Seconds rest = share.orthogonalisation / machine.matmul + software.optimizerFixed;
    if (plan.strategy.offload != parallel::Offload::Optimizer)
        return traffic / machine.memory + rest;
    const double element = storageBytes(plan.training.precision);
    const Seconds gradients = gradientsAreThere
        ? Seconds{}
        : Bytes(share.parameters * (plan.training.fp32Gradients ? 4 : element)) / machine.hostLink;
    const Seconds weights = Bytes(share.parameters * element) / machine.hostLink;
    return std::max({gradients, traffic / machine.hostMemory, weights}) + rest;
}

} // namespace stratoplan::cost
