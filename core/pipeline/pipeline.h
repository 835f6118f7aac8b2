// SPDX-License-Identifier: Apache-2.0
// Places the work of a step in time. PipelineWork says how long each piece of one micro-batch takes on each
// stage; a Schedule gives each stage its order; simulate() runs the event graph and returns the Timeline.
// pipelineSeconds() is the closed form of the same: never above the simulation, and equal to it for uniform stages
// with free transfers. The order itself is in program.h.
#pragma once

#include "core/parallel/strategy.h"
#include "core/units/quantity.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stratoplan {

/// One micro-batch on one stage, all its chunks together.
struct StageWork {
    Seconds forward{};       ///< including exposed TP/CP/EP communication
    Seconds backward{};      ///< input and weight gradients, including recomputation and exposed communication
    Seconds recompute{};     ///< the part of `backward` that is recomputation
    Seconds weightGradient{}; ///< the part of `backward` that no other stage waits for: gradients of weights
    Seconds sendForward{};   ///< one transfer of a boundary activation to the next stage; every chunk makes one
    Seconds sendBackward{};  ///< one transfer of a boundary gradient to the previous stage; every chunk makes one
    Seconds gradientSync{};  ///< exposed gradient reduction after the stage's last backward pass
    Seconds optimizer{};     ///< optimizer step and exposed parameter gather
    bool operator==(const StageWork&) const = default;
};

struct PipelineWork {
    Schedule schedule = Schedule::OneFOneB;
    int microBatches = 1;
    int chunks = 1;                 ///< virtual stages v
    std::vector<StageWork> stages;  ///< p of them
    int lookahead = 0;              ///< chunk passes that every stage runs forward beyond the schedule's own before it turns back
    Seconds loss{};                 ///< from the last stage's forward pass to the gradient of its output, where other stages work on it
    bool operator==(const PipelineWork&) const = default;
};

enum class SliceKind : std::uint8_t {
    Forward,
    Backward, ///< the gradient of the input alone where the schedule splits the backward pass
    WeightGradient,
    Recompute,
    SendForward,
    SendBackward,
    GradientSync,
    Optimizer,
};
inline constexpr std::size_t kSliceKinds = 8;

/// 24 bytes each.
struct Slice {
    float start = 0;       ///< seconds from the start of the step
    float duration = 0;    ///< seconds
    std::int32_t microBatch = -1;
    std::int32_t stage = 0;
    std::int16_t chunk = 0;
    SliceKind kind = SliceKind::Forward;
    bool operator==(const Slice&) const = default;
};

struct Wait {
    int stage = 0;
    Seconds start{};
    Seconds duration{};
    /// Before the first pass; for an input of a forward pass; for a gradient; after the stage's last work.
    enum class Cause : std::uint8_t { WarmUp, Activation, Gradient, CoolDown } cause = Cause::WarmUp;
    bool operator==(const Wait&) const = default;
};

struct Timeline {
    Seconds makespan{}; ///< from the first pass of any stage to the end of the last one
    Seconds step{};     ///< from one step to the next: the makespan, or less where stages begin the next step one by one
    int stages = 0;
    int microBatches = 0;
    int chunks = 1;
    std::vector<Slice> slices;        ///< sorted by stage, then start
    std::vector<Wait> waits;          ///< sorted by stage, then start
    std::vector<Seconds> busy;        ///< per stage; busy + idle = step
    std::vector<Seconds> idle;
    std::vector<int> peakInFlight;    ///< micro-batches (chunks count 1/v, rounded up) whose activations a stage holds
    double bubbleFraction = 0;        ///< idle share of all stages together
    bool operator==(const Timeline&) const = default;
};

/// GPipe, 1F1B (plain, eager, interleaved), breadth-first, ZB-H1 and ZB-H2. A pass starts when its stage is free and its input has arrived; a transfer
/// leaves when its pass has ended and its link (one per direction and stage) is free, and holds up only its
/// consumer. After its last backward pass each stage synchronises its gradients, then runs its optimizer.
/// Precondition: canSimulate(schedule), stages not empty, micro-batches >= 1; interleaved with v > 1: p | m.
[[nodiscard]] Timeline simulate(const PipelineWork& work);
[[nodiscard]] bool canSimulate(Schedule schedule);

/// simulate(work).makespan without the slices and waits: the leaf of a search. O(p m v), less where a pipeline settles.
[[nodiscard]] Seconds simulateMakespan(const PipelineWork& work);
/// The same from a shorter pipeline, of at most a third of the micro-batches and `passes` chunk passes, that has come into its
/// steady state: from there on each further period of micro-batches (one, or p if interleaved) takes as long as the last. Nothing
/// if none that short has, for GPipe, and for one stage.
[[nodiscard]] std::optional<Seconds> steadyMakespan(const PipelineWork& work, double passes = 1e300);

/// Closed-form makespan (domain.md D3 L2 and E1): max over stages of fill + m (F + B) + drain, then the last
/// synchronisation and optimizer; interleaved fills and drains with first chunks. `criticalStage` (optional)
/// receives the stage that attains it. Same preconditions as simulate().
[[nodiscard]] Seconds pipelineSeconds(const PipelineWork& work, int* criticalStage = nullptr);

/// What a step takes: simulated; where the pipeline has more than kSimulatedPasses chunk passes, by its steady state, or by the
/// closed form if it has not settled by then (at that length both agree to the share of a fill). `criticalStage` as above.
inline constexpr double kSimulatedPasses = 50'000;
[[nodiscard]] Seconds makespan(const PipelineWork& work, int* criticalStage = nullptr);

/// Slices of the timeline at most. More than kMostSlices are too many to keep and to draw.
inline constexpr double kMostSlices = 5e6;
[[nodiscard]] double timelineSlices(const PipelineWork& work);

/// Micro-batches in flight on `stage` at the memory peak, in units of a whole stage's activations
/// (1F1B: min(m, p - i + lookahead), eager: min(m, 2 (p - i) - 1); zero bubble: min(m, p) or min(m, 2p - 1) on every stage; interleaved: min(m, (2(p-i-1) + (v-1)p + 1)/v); GPipe and breadth-first: m). Korthikanti et al., 2205.05198.
[[nodiscard]] double inFlight(Schedule schedule, int stages, int chunks, int microBatches, int stage, int lookahead = 0);
/// Micro-batches whose prediction waits on the last stage for its backward pass: all in GPipe and breadth-first, one where the backward pass of
/// a micro-batch follows its forward pass.
[[nodiscard]] int lossesInFlight(Schedule schedule, int microBatches);

} // namespace stratoplan
