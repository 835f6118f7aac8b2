// SPDX-License-Identifier: Apache-2.0
// The memory ledger: every kind of tensor an accelerator holds during a step, how large it is and when it lives. What a
// stage needs at its peak is a sum over it. Published formulas: ZeRO (1910.02054) for states, Korthikanti et al.
// (2205.05198) for activations.
#pragma once

#include "core/pipeline/program.h"
#include "core/workload/workload.h"

#include <map>
#include <string_view>
#include <vector>

namespace stratoplan::cost {

/// Bytes per parameter of weights, gradients and Adam states (FP32 master, momentum, variance) under ZeRO with `shards`
/// ranks.
struct StateBytes {
    double weights = 0, gradients = 0, optimizer = 0;
    [[nodiscard]] double total() const { return weights + gradients + optimizer; }
};
/// `optimizerBytes`: 12 = FP32 master weight, momentum, variance; in FP32 training the weight is its own master.
[[nodiscard]] StateBytes stateBytes(
    int zeroStage, int shards, bool fp32Gradients, bool fp32Training = false, double optimizerBytes = 12);

enum class MemoryCategory { Weights, Gradients, Optimizer, Activations, Buffers, Reserve };
/// Birth and death of an item.
enum class Lifetime {
    Step, ///< all the time
    MicroBatch, ///< from the forward pass of a micro-batch through a stage until the end of its backward pass
    Prediction, ///< from the forward pass of a micro-batch through the last stage until its backward pass begins
    Pass, ///< while any pass runs
    Loss, ///< while the last stage predicts and computes the loss of a micro-batch
    Backward, ///< while a backward pass runs
    Optimizer, ///< while the optimizer runs
};
[[nodiscard]] std::string_view key(MemoryCategory category); // "weights", "activations", …
[[nodiscard]] std::string_view key(Lifetime lifetime); // "step", "micro_batch", …

/// One kind of tensor on one accelerator of a stage.
struct LedgerItem {
    std::string_view name;
    MemoryCategory category = MemoryCategory::Buffers;
    Lifetime lifetime = Lifetime::Step;
    Bytes bytes{}; ///< of one micro-batch where it lives with one
    bool operator==(const LedgerItem&) const = default;
};
using MemoryLedger = std::vector<LedgerItem>; ///< of one stage; items of no bytes are left out
[[nodiscard]] MemoryLedger memoryLedger(const plan::Plan& plan, const workload::Workload& workload, int stage);

/// Bytes of a stage by lifetime: what its memory over time is made of.
struct LifetimeBytes {
    Bytes step{}, microBatch{}, prediction{}, pass{}, loss{}, backward{}, optimizer{};
    LifetimeBytes& operator+=(const LifetimeBytes& other);
    bool operator==(const LifetimeBytes&) const = default;
};
/// The ledger in two parts: parameters with their gradients and states, which ZeRO shares out and FSDP gathers, and all
/// else.
[[nodiscard]] LifetimeBytes parameterBytes(
    const plan::Plan& plan, const workload::MicroBatchWork& work, const workload::StageLayout& stage);
[[nodiscard]] LifetimeBytes passBytes(
    const plan::Plan& plan, const workload::MicroBatchWork& work, const workload::StageLayout& stage);

/// Micro-batches in flight on a stage at the memory peak (core/pipeline), those under way while stages work on the loss
/// included. How many micro-batches, of 1 to `most`, every stage has room for; 0: none.
[[nodiscard]] int roomInFlight(const std::vector<LifetimeBytes>& stages, Bytes capacity, int most);
/// What is held, and of how much.
struct Filled {
    Bytes held{}, capacity{};
};
/// Whether it fills a larger share than the other does; where both have as much, whether it holds more.
[[nodiscard]] inline bool fillsMore(const Filled& a, const Filled& b)
{
    return a.held * (a.capacity == b.capacity ? 1 : b.capacity / a.capacity) > b.held;
}

/// What stages hold, by the memory of their accelerators.
using HeldByCapacity = std::map<Bytes, std::vector<LifetimeBytes>>;
/// The limit of a ZB-auto that leaves it open: as many as all have room for, or as many as there are stages where some
/// stage has none.
[[nodiscard]] int openInFlightLimit(const parallel::Strategy& strategy, int microBatches, const HeldByCapacity& held);
[[nodiscard]] double inFlight(const parallel::Strategy& strategy, int microBatches, int stage, double firstShare = 0.5);
/// Of the activations of a stage whose schedule gives it two chunks (V-shaped, two-way), the share of the first; else a
/// half.
[[nodiscard]] double firstChunkShare(
    const plan::Plan& plan, const workload::MicroBatchWork& work, const std::vector<workload::StageLayout>& chunks);

/// When a stage needs most: while it predicts, in a backward pass, or while the optimizer runs.
enum class PeakMoment { Loss, Backward, Optimizer };
[[nodiscard]] std::string_view key(PeakMoment moment); // "loss", "backward", "optimizer"

/// The most a stage holds with the activations of `inFlight` micro-batches and the predictions that wait for their
/// backward pass (core/pipeline).
struct Peak {
    PeakMoment moment = PeakMoment::Backward;
    Bytes activations{};
    Bytes above{}; ///< beside them and what lives all the step
};
[[nodiscard]] Peak peak(const LifetimeBytes& bytes, double inFlight, const pipeline::LossesInFlight& losses);

/// What one stage holds at its peak. Same meaning as StageMemory of core/estimate.
struct StageBytes {
    Bytes weights{}, gradients{}, optimizer{}, activations{}, buffers{}, reserve{};
    LifetimeBytes byLifetime;
    double inFlight = 0; ///< micro-batches whose activations it holds at its peak
    double firstChunkShare = 0.5; ///< of the activations of two chunks
    PeakMoment moment = PeakMoment::Backward;
    [[nodiscard]] Bytes total() const { return weights + gradients + optimizer + activations + buffers + reserve; }
};
[[nodiscard]] StageBytes stageBytes(const plan::Plan& plan, const workload::Workload& workload, int stage);

} // namespace stratoplan::cost
