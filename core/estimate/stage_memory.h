// SPDX-License-Identifier: Apache-2.0
// Where the bytes of an accelerator go, stage by stage.
#pragma once

#include "core/cost/memory.h"
#include "core/units/quantity.h"

#include <vector>

namespace stratoplan::estimate {

/// Bytes per accelerator of one stage at its peak: sums of its ledger (core/cost/memory.h).
struct StageMemory {
    Bytes weights{}, gradients{}, optimizer{}, activations{}, buffers{}, reserve{};
    cost::PeakMoment moment = cost::PeakMoment::Backward;
    cost::LifetimeBytes byLifetime; ///< what its memory over time is made of
    double inFlight = 0; ///< micro-batches whose activations it holds at its peak
    double firstChunkShare =
        0.5; ///< of a micro-batch's activations, where a schedule gives stages two chunks of its own
    Bytes capacity{}; ///< of its smallest accelerator
    [[nodiscard]] Bytes total() const { return weights + gradients + optimizer + activations + buffers + reserve; }
    bool operator==(const StageMemory&) const = default;
};

struct Memory {
    Bytes capacity{}; ///< of the stage that fills most of its accelerators
    Bytes peak{}; ///< there
    Bytes peakLow{}, peakHigh{}; ///< range of the estimate: 10th and 90th percentile of what would be measured
    int peakStage = 0;
    Bytes hostCapacity{}; ///< each accelerator's share of its host's memory; 0 = not stated
    Bytes hostPeak{}; ///< what is offloaded of the stage that fills most of its host, per accelerator
    std::vector<StageMemory> stages;
    [[nodiscard]] bool fitsAccelerator() const { return peak <= capacity; }
    [[nodiscard]] bool fitsHost() const { return hostPeak <= hostCapacity || hostPeak == Bytes{}; }
    bool operator==(const Memory&) const = default;
};

} // namespace stratoplan::estimate
