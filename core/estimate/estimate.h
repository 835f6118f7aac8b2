// SPDX-License-Identifier: Apache-2.0
// The one public answer: estimate(plan) -> Estimate.
// A plan is lowered to operators and collectives per stage (core/workload), priced (core/cost), placed in a
// pipeline (core/pipeline) and summed here. The parts of the breakdown add up to the step time.
#pragma once

#include "core/cost/memory.h"
#include "core/cost/resharding.h"
#include "core/pipeline/pipeline.h"
#include "core/plan/plan.h"
#include "core/plan/problem.h"

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan {

struct CommunicationSeconds {
    Seconds tp{}, cp{}, ep{}, pp{}, dp{};
    [[nodiscard]] Seconds total() const { return tp + cp + ep + pp + dp; }
    bool operator==(const CommunicationSeconds&) const = default;
};

/// Where the seconds of one step go. total() = step time: hidden communication costs nothing and is outside.
struct Breakdown {
    Seconds forward{}, backward{}, recompute{}, optimizer{}, bubble{}, other{};
    CommunicationSeconds exposed;
    CommunicationSeconds hidden;
    [[nodiscard]] Seconds compute() const { return forward + backward + recompute; }
    [[nodiscard]] Seconds total() const { return compute() + optimizer + bubble + other + exposed.total(); }
    bool operator==(const Breakdown&) const = default;
};

/// Bytes per accelerator of one stage at its peak: sums of its ledger (core/cost/memory.h).
struct StageMemory {
    Bytes weights{}, gradients{}, optimizer{}, activations{}, buffers{}, reserve{};
    PeakMoment moment = PeakMoment::Backward;
    LifetimeBytes byLifetime; ///< what its memory over time is made of
    double inFlight = 0; ///< micro-batches whose activations it holds at its peak
    double firstChunkShare =
        0.5; ///< of a micro-batch's activations, where a schedule gives stages two chunks of its own
    [[nodiscard]] Bytes total() const { return weights + gradients + optimizer + activations + buffers + reserve; }
    bool operator==(const StageMemory&) const = default;
};

struct Memory {
    Bytes capacity{};
    Bytes peak{};
    Bytes peakLow{}, peakHigh{}; ///< range of the estimate: 10th and 90th percentile of what would be measured
    int peakStage = 0;
    Bytes hostCapacity{}; ///< each accelerator's share of its host's memory; 0 = not stated
    Bytes hostPeak{}; ///< what is offloaded of the stage that offloads most, per accelerator
    std::vector<StageMemory> stages;
    [[nodiscard]] bool fitsAccelerator() const { return peak <= capacity; }
    [[nodiscard]] bool fitsHost() const { return hostPeak <= hostCapacity || hostPeak == Bytes{}; }
    bool operator==(const Memory&) const = default;
};

/// What one micro-batch sends between two neighbouring stages.
struct StageBoundary {
    int from = 0, to = 0; ///< stages; from the last one to the first where stages have several chunks
    BoundaryTransfer down, up; ///< from -> to (activations, but of the way back in a V), and to -> from
    bool operator==(const StageBoundary&) const = default;
};
/// The transfer that a slice is in a pipeline with such a route; nothing if it is none.
[[nodiscard]] const BoundaryTransfer* transferOf(
    const Slice& slice, const Route& route, const std::vector<StageBoundary>& boundaries);

struct Estimate {
    Seconds step{};
    Seconds stepLow{}, stepHigh{}; ///< range of the estimate: 10th and 90th percentile of what would be measured
    double tokensPerSecond = 0;
    FlopsPerSecond perAccelerator{}; ///< model FLOPs per second and accelerator
    double mfu = 0; ///< model FLOPs utilisation of the dense peak at the training precision
    double hfu = 0; ///< the same with recomputed FLOPs
    bool fits = true;
    Breakdown breakdown; ///< of the stage that sets the pace
    std::vector<Breakdown> stages; ///< one per pipeline stage; each totals the step
    Memory memory;
    std::vector<StageBoundary> boundaries; ///< between stages, from the first on
    std::vector<Bytes> gradients; ///< per stage: what a rank sums with its replicas after its passes
    std::vector<Bytes>
        gathered; ///< per stage: parameters a rank has once it has gathered those that others have stepped
    PipelineWork pipeline; ///< what the Gantt simulates
    Strategy strategy;
    std::vector<Problem> problems; ///< warnings and notes, out of memory included
    std::vector<std::string> extrapolates;
    bool operator==(const Estimate&) const = default;
};

struct EstimateOptions {
    bool remedies = true; ///< look for edits that mend an out-of-memory plan (prices several more strategies)
    bool range = true; ///< find the ranges and where the plan leaves what was measured; else they are the step time and
                       ///< the peak alone
    int filled = 0; ///< fields of the plan that were filled in by rule: each widens the range
    std::string_view leftOut =
        {}; ///< id of the shipped measured case that the plan is: it says nothing of its own range
};

/// Errors: the problems that keep the plan from being priced (broken rules, or NotEstimable).
[[nodiscard]] tl::expected<Estimate, std::vector<Problem>> estimate(
    const Plan& plan, const EstimateOptions& options = {});

} // namespace stratoplan
