// SPDX-License-Identifier: Apache-2.0
// Host memory as a second tier behind the accelerators' own. Kept activations travel layer by layer: out behind the
// forward pass of their layer, back behind the backward pass of the layer after it (PipeOffload, arXiv 2503.01328).
// Optimizer states stay there, and the host updates them: gradients come down and weights go up tile by tile beside the
// update (ZeRO-Offload, arXiv 2101.06840).
#pragma once

#include "core/cost/machine.h"
#include "core/workload/workload.h"

namespace stratoplan::cost {

/// What one accelerator of a stage keeps on its host: of every micro-batch in flight, and all the time.
struct HostBytes {
    Bytes microBatch{};
    Bytes step{};
};
[[nodiscard]] HostBytes hostBytes(
    const plan::Plan& plan, const workload::MicroBatchWork& work, const workload::StageLayout& stage);

/// What the passes of a layer wait for the kept activations of one micro-batch beyond `window`, the pass they travel
/// behind.
[[nodiscard]] Seconds offloadWait(const plan::Plan& plan, const Machine& machine,
    const workload::LayerActivations& activations, parallel::Recompute recompute, Seconds window);

/// What one rank updates at the end of a step.
struct UpdatedShare {
    double parameters = 0;
    double tables = 0; ///< of them, in embeddings and output projection
    Flops orthogonalisation{}; ///< with Muon
};
/// Of a stage whose states so many ranks share out; those of experts may be others.
[[nodiscard]] UpdatedShare updatedShare(const workload::StageLayout& stage, double shards, double expertShards);
/// What backward passes of `backward` each wait for the gradients that go to the host behind them, those of every
/// micro-batch: there they are summed (ZeRO-Offload). 0 where they stay until the end of a step.
[[nodiscard]] Seconds gradientWait(
    const plan::Plan& plan, const Machine& machine, const UpdatedShare& share, Seconds backward, int microBatches);
/// Their update where their states are.
[[nodiscard]] Seconds optimizerSeconds(const plan::Plan& plan, const Machine& machine, const UpdatedShare& share);
/// The same, whether or not the plan's own sharding has sent the gradients to a host that updates them.
[[nodiscard]] Seconds optimizerSeconds(
    const plan::Plan& plan, const Machine& machine, const UpdatedShare& share, bool gradientsAreThere);

} // namespace stratoplan::cost
