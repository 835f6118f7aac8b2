// SPDX-License-Identifier: Apache-2.0
// Bytes per accelerator of each pipeline stage at its peak, by the published formulas: ZeRO (1910.02054) for states,
// Korthikanti et al. (2205.05198) for activations.
#pragma once

#include "core/workload/workload.h"

#include <array>

namespace stratoplan {

/// Bytes per parameter of weights, gradients and Adam states (FP32 master, momentum, variance) under ZeRO with `shards` ranks.
struct StateBytes {
    double weights = 0, gradients = 0, optimizer = 0;
    [[nodiscard]] double total() const { return weights + gradients + optimizer; }
};
/// `optimizerBytes`: 12 = FP32 master weight, momentum, variance; in FP32 training the weight is its own master.
[[nodiscard]] StateBytes stateBytes(int zeroStage, int shards, bool fp32Gradients, bool fp32Training = false, double optimizerBytes = 12);

/// What one stage keeps. Same meaning as StageMemory of core/estimate.
struct StageBytes {
    Bytes weights{}, gradients{}, optimizer{}, activations{}, buffers{}, reserve{};
};
[[nodiscard]] StageBytes stageBytes(const Plan& plan, const Workload& workload, int stage);

} // namespace stratoplan
