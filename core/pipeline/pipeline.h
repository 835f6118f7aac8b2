// SPDX-License-Identifier: Apache-2.0
// Places the work of a step in time. PipelineWork says how long each piece of one micro-batch takes on each
// stage; a Schedule gives each stage its order (program.h); CommunicationTiming says when its runtime carries out what
// stages send each other. simulate() runs the event graph and returns the Timeline; makespan() its length alone,
// faster. pipelineSeconds() is a closed form of the same: never above the simulation, and equal to it for uniform
// stages with free transfers and a schedule that runs through its stages in one direction.
#pragma once

#include "core/parallel/communication_timing.h"
#include "core/parallel/strategy.h"
#include "core/pipeline/program.h"
#include "core/units/quantity.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stratoplan::pipeline {

class SharedPrograms;

/// One micro-batch through one chunk of a stage.
struct ChunkWork {
    Seconds forward{}; ///< including exposed TP/CP/EP communication
    Seconds backward{}; ///< input and weight gradients, including recomputation and exposed communication
    Seconds recompute{}; ///< the part of `backward` that is recomputation
    Seconds weightGradient{}; ///< the part of `backward` that no other stage waits for: gradients of weights
    Seconds sendForward{}; ///< transfer of the boundary activation to the stage that runs the next chunk
    Seconds sendBackward{}; ///< transfer of the boundary gradient to the stage that ran the chunk before
    Seconds forwardTraffic{}; ///< the part of `forward` that a backward pass running together with it hides
    Seconds backwardTraffic{}; ///< the part of `backward`, before weight gradients, that a forward pass running
                               ///< together with it hides
    // Of what is sent, once it has arrived where ranks divide it otherwise: gathered among them, beside their passes.
    Seconds reshardForward{};
    Seconds reshardBackward{};
    bool operator==(const ChunkWork&) const = default;
};
/// Every duration times `stretch`.
[[nodiscard]] inline ChunkWork operator*(ChunkWork chunk, double stretch)
{
    for (Seconds* const part : {&chunk.forward, &chunk.backward, &chunk.recompute, &chunk.weightGradient,
             &chunk.sendForward, &chunk.sendBackward, &chunk.forwardTraffic, &chunk.backwardTraffic,
             &chunk.reshardForward, &chunk.reshardBackward})
        *part *= stretch;
    return chunk;
}

/// One micro-batch on one stage, all its chunks together; a transfer is one of them (every chunk makes one), to the
/// stage after it and to the stage before it. A two-way schedule sends each micro-batch through one of a stage's
/// chunks: then their mean.
struct StageWork : ChunkWork {
    Seconds gradientSync{}; ///< exposed gradient reduction after the stage's last backward pass
    Seconds optimizer{}; ///< optimizer step
    Seconds parameterGather{}; ///< exposed gather of the parameters that other ranks have stepped, after it
    bool operator==(const StageWork&) const = default;
};

struct PipelineWork {
    parallel::Schedule schedule = parallel::Schedule::OneFOneB;
    int microBatches = 1;
    int chunks = 1; ///< virtual stages v
    std::vector<StageWork> stages; ///< p of them
    int lookahead = 0; ///< chunk passes that every stage runs forward beyond the schedule's own before it turns back
    Seconds loss{}; ///< from the last stage's forward pass to the gradient of its output, where other stages work on it
    std::vector<ChunkWork> chunkWork{}; ///< where chunks are unlike, those that are; empty: equal shares of their stage
    std::vector<std::uint16_t>
        chunkOf{}; ///< by stage, then chunk, its place in chunkWork; empty: every one has its own, in this order
    parallel::CommunicationTiming timing{};
    int limit = 0; ///< of ZB-auto: micro-batches that a stage holds at most; 0: 2 p
    std::vector<StageProgram>
        order{}; ///< what each stage runs, in place of the schedule's own order (core/exchange/schedule_file.h)
    bool operator==(const PipelineWork&) const = default;
};

enum class SliceKind : std::uint8_t {
    Forward,
    Backward, ///< the gradient of the input alone where the schedule splits the backward pass
    WeightGradient,
    Recompute,
    SendForward,
    SendBackward,
    ReshardForward, ///< by the stage that has received it, of the chunk it is for
    ReshardBackward,
    GradientSync,
    Optimizer,
    ParameterGather,
};
inline constexpr std::size_t kSliceKinds = 11;

/// 24 bytes each.
struct Slice {
    float start = 0; ///< seconds from the start of the step
    float duration = 0; ///< seconds
    std::int32_t microBatch = -1;
    std::int32_t stage = 0;
    std::int16_t chunk = 0;
    SliceKind kind = SliceKind::Forward;
    bool operator==(const Slice&) const = default;
};

/// A stage runs no pass. An interval without work is cut where what it waits for changes.
struct Wait {
    int stage = 0;
    Seconds start{};
    Seconds duration{};
    enum class Cause : std::uint8_t {
        WarmUp, ///< before its first pass
        Activation, ///< for passes of other stages, before a forward pass
        Gradient, ///< the same before a backward pass
        Transfer, ///< for a transfer on its way, or being resharded
        Queue, ///< for a transfer that stands behind others, or behind work on the stream it needs
        GradientSync, ///< for the gradient reduction of another stage
        CoolDown, ///< after its last work
    } cause = Cause::WarmUp;
    std::int32_t endedBy =
        -1; ///< the slice whose end ended the whole interval, as an index into the timeline's; -1: the end of the step
    bool operator==(const Wait&) const = default;
};

struct Timeline {
    Seconds makespan{}; ///< from the first pass of any stage to the end of the last one
    Seconds step{}; ///< from one step to the next: the makespan, or less where stages begin the next step one by one
    int stages = 0;
    int microBatches = 0;
    int chunks = 1;
    parallel::PipelineShape shape = parallel::PipelineShape::Loop; ///< where the chunks of a stage belong in the model
    std::vector<Slice> slices; ///< sorted by stage, then start
    std::vector<std::int32_t>
        criticalPath; ///< slices, by rising time, each begun by the end of the one before; the last ends the step
    std::vector<Wait> waits; ///< sorted by stage, then start
    std::vector<Seconds> busy; ///< per stage; busy + idle = step
    std::vector<Seconds> idle;
    std::vector<int> peakInFlight; ///< micro-batches (chunks count 1/v, rounded up) whose activations a stage holds
    double bubbleFraction = 0; ///< idle share of all stages together
    bool operator==(const Timeline&) const = default;
};

/// A pass starts when its stage is free and its input has arrived; a transfer leaves when its pass has ended and what
/// carries it is free. After its last backward pass each stage synchronises its gradients, runs its optimizer and
/// gathers parameters. Precondition: runsThrough(work).
[[nodiscard]] Timeline simulate(const PipelineWork& work);
/// What each stage runs: `work.order`, or the order of its schedule. Precondition: canSchedule() where there is no
/// order.
[[nodiscard]] std::vector<StageProgram> programsOf(const PipelineWork& work);
/// Whether the order of every stage can be run to its end: stages not empty, micro-batches >= 1, and those of the
/// schedule (canSchedule, program.h); or an order of one's own that no stage waits in for ever.
[[nodiscard]] bool runsThrough(const PipelineWork& work);

/// Chunk passes that are simulated at most, counted forward: some tens of milliseconds of work. Where transfers and
/// reductions wait for more than links, an event graph has to be laid out for a tenth of them, which takes as long.
inline constexpr double kSimulatedPasses = 4e6;
/// Whether the work has more than that. Then only its steady state is simulated, if it comes to one.
[[nodiscard]] bool isTooLong(const PipelineWork& work);

/// simulate(work).makespan without the slices and waits: the leaf of a search. O(p m v), less where a pipeline settles.
[[nodiscard]] Seconds simulateMakespan(const PipelineWork& work);
/// The same from a shorter pipeline, of at most a third of the micro-batches and `passes` chunk passes, that has come
/// into its steady state: from there on each further period of micro-batches (one, or p if interleaved) takes as long
/// as the last. Nothing if none that short has, for GPipe, and for one stage.
[[nodiscard]] std::optional<Seconds> steadyMakespan(const PipelineWork& work, double passes = kSimulatedPasses);

/// What each stage saves in a step because passes that run together hide each other's traffic.
[[nodiscard]] std::vector<Seconds> savedInPairs(const PipelineWork& work);

/// Closed-form makespan (Narayanan et al., arXiv 2104.04473, section 2.2, for stages that differ): max over stages of
/// fill + m (F + B) + drain, then the last synchronisation and optimizer; interleaved fills and drains with first
/// chunks. V-shaped and two-way schedules: that, without drain, and the way of a micro-batch through all chunks and
/// back. `criticalStage` (optional) receives the stage that attains it. Same preconditions as simulate().
[[nodiscard]] Seconds pipelineSeconds(const PipelineWork& work, int* criticalStage = nullptr);

/// The same and more: how often micro-batches have to go there and back within a step, and what their transfers and
/// reductions hold up (stage_chain.h, folded_chain.h). Never above the simulation, at least pipelineSeconds(), and
/// dearer. Quicker with programs that were shared before.
[[nodiscard]] Seconds stepBound(const PipelineWork& work, SharedPrograms* shared = nullptr);

struct Makespan {
    Seconds seconds{};
    int criticalStage = 0; ///< that of pipelineSeconds()
    bool bound = false; ///< too long, and it does not settle: at least so long, by stepBound()
};
/// What a step takes, simulated. Never below stepBound(). `shared` as above.
[[nodiscard]] Makespan makespan(const PipelineWork& work, SharedPrograms* shared = nullptr);

/// Slices of the timeline at most. More than kMostSlices are too many to keep and to draw.
inline constexpr double kMostSlices = 5e6;
[[nodiscard]] double timelineSlices(const PipelineWork& work);

} // namespace stratoplan::pipeline
