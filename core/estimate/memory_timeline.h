// SPDX-License-Identifier: Apache-2.0
// The memory of every stage over one step: what it holds all the time, the activations of the micro-batches in flight,
// and what the running pass needs on top. A step function along the simulated pipeline; its highest point is the
// reported peak.
#pragma once

#include "core/catalog/catalog.h"
#include "core/estimate/estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace stratoplan::estimate {

/// From `at` on (seconds from the start of the step) the stage holds `bytes`.
struct MemoryPoint {
    Seconds at{};
    Bytes bytes{};
    bool operator==(const MemoryPoint&) const = default;
};

/// The first instant at which a stage holds most.
struct MemoryPeak {
    int stage = 0;
    Seconds at{};
    Seconds lasts{};
    Bytes bytes{};
    cost::PeakMoment moment = cost::PeakMoment::Backward;
    int microBatch = -1; ///< whose pass runs; -1 while the optimizer does
    int chunk = 0;
    double inFlight = 0; ///< micro-batches whose activations it holds; a chunk counts 1/v
    bool operator==(const MemoryPeak&) const = default;
};

struct StageMemoryCurve {
    std::vector<MemoryPoint> points; ///< by time, the first at 0; no two at one time
    MemoryPeak peak;
    Bytes capacity{}; ///< of the stage's accelerators
    bool operator==(const StageMemoryCurve&) const = default;
};

struct MemoryTimeline {
    Seconds makespan{};
    std::vector<StageMemoryCurve> stages;
    int peakStage = 0; ///< that fills most of its accelerators
    [[nodiscard]] const MemoryPeak& peak() const { return stages[std::size_t(peakStage)].peak; }
    [[nodiscard]] Bytes capacity() const { return stages[std::size_t(peakStage)].capacity; } ///< of that stage
    bool operator==(const MemoryTimeline&) const = default;
};

/// `timeline` is the simulation of the same estimate. Precondition: as many stages in both, at least one.
[[nodiscard]] MemoryTimeline memoryTimeline(const Memory& memory, const pipeline::Timeline& timeline);

/// The highest peak of all stages, by a simulation of the step; nothing where its timeline would have more than
/// kMostSlices.
[[nodiscard]] std::optional<MemoryPeak> memoryPeak(const Estimate& estimate);

/// Bytes that stage `stage` holds at `at`.
[[nodiscard]] Bytes heldAt(const MemoryTimeline& timeline, int stage, Seconds at);

/// What every stage of a plan holds, item by item, by its estimate.
[[nodiscard]] std::vector<cost::MemoryLedger> memoryLedgers(
    const plan::Plan& plan, const Estimate& estimate, const catalog::Catalog& catalog = catalog::shippedCatalog());

} // namespace stratoplan::estimate
