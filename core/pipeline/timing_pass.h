// SPDX-License-Identifier: Apache-2.0
// The timing pass: moves communication to where it holds nobody up, and says what that removed. Gradient reductions
// leave the last backward pass for the apply step, are launched beside the passes, transfers leave when their producer
// is done, and run over links of their own (after the optimisation pass for 3D parallelism in Alpa; "On Optimizing the
// Communication of Model Parallelism", MLSys'23). Every step is simulated, never assumed: sending earlier in one queue
// can lose.
#pragma once

#include "core/pipeline/pipeline.h"

#include <array>
#include <string_view>
#include <vector>

namespace stratoplan::pipeline {

inline constexpr std::size_t kWaitCauses = 7;
using WaitSeconds = std::array<Seconds, kWaitCauses>; ///< by Wait::Cause

[[nodiscard]] std::string_view key(Wait::Cause cause); // "warm_up", "activation", …
/// Idle time of each stage by its cause.
[[nodiscard]] std::vector<WaitSeconds> waitsByStage(const Timeline& timeline);

enum class TimingStep {
    Original, ///< the runtime as it is
    DelayedSync, ///< gradients are reduced in the apply step, not inside the last backward pass
    AsyncSync, ///< and beside the passes
    EarlySends, ///< transfers are issued when their producer is done
    OwnLinks, ///< and hold nobody up but their consumer
};
[[nodiscard]] std::string_view key(TimingStep step); // "original", "delayed_sync", …

/// What a change takes from each stage; negative: adds to it. The waits of a stage and its work together are what the
/// step loses.
struct StageSavings {
    std::vector<WaitSeconds> waits; ///< idle time by cause
    std::vector<Seconds> work; ///< its own reduction, as far as passes hide it, and what else it does not have to do
    bool operator==(const StageSavings&) const = default;
};

struct TimedStep {
    TimingStep step = TimingStep::Original;
    Seconds seconds{}; ///< of a training step, with this change and all before it
    StageSavings removed{}; ///< by this change; nothing by the original
    bool operator==(const TimedStep&) const = default;
};

/// Over all stages.
[[nodiscard]] WaitSeconds byCause(const std::vector<WaitSeconds>& stages);

struct TimingPass {
    std::vector<TimedStep> steps; ///< the original first; changes that the runtime has made already are left out
    StageSavings removed; ///< by all of them
    [[nodiscard]] Seconds without() const { return steps.front().seconds; }
    [[nodiscard]] Seconds with() const { return steps.back().seconds; }
    /// Of the step time without the pass over that with it, less one.
    [[nodiscard]] double gain() const { return without() / with() - 1; }
};

/// `without` and `with`: one plan's pipeline with the timing pass off and on. They may differ in durations where the
/// runtime lets a part of its transfers block the passes. Preconditions: those of simulate() for both.
[[nodiscard]] TimingPass timingPass(const PipelineWork& without, const PipelineWork& with);

} // namespace stratoplan::pipeline
