// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/timing_pass.h"

#include <algorithm>

namespace stratoplan::pipeline {

std::string_view key(Wait::Cause cause)
{
    constexpr std::array<std::string_view, kWaitCauses> kKeys{
        "warm_up", "activation", "gradient", "transfer", "queue", "gradient_sync", "cool_down"};
    return kKeys[static_cast<std::size_t>(cause)];
}

std::string_view key(TimingStep step)
{
    constexpr std::array<std::string_view, 5> kKeys{
        "original", "delayed_sync", "async_sync", "early_sends", "own_links"};
    return kKeys[static_cast<std::size_t>(step)];
}

std::vector<WaitSeconds> waitsByStage(const Timeline& timeline)
{
    std::vector<WaitSeconds> waits(static_cast<std::size_t>(timeline.stages));
    for (const Wait& wait : timeline.waits)
        waits[static_cast<std::size_t>(wait.stage)][static_cast<std::size_t>(wait.cause)] += wait.duration;
    return waits;
}

WaitSeconds byCause(const std::vector<WaitSeconds>& stages)
{
    WaitSeconds sum{};
    for (const WaitSeconds& stage : stages)
        for (std::size_t cause = 0; cause < kWaitCauses; ++cause)
            sum[cause] += stage[cause];
    return sum;
}

namespace {

/// Of a simulated step.
struct Usage {
    explicit Usage(const Timeline& timeline)
        : step(timeline.step)
        , waits(waitsByStage(timeline))
        , busy(timeline.busy)
    {
    }

    Seconds step;
    std::vector<WaitSeconds> waits;
    std::vector<Seconds> busy;
};

StageSavings savings(const Usage& before, const Usage& after)
{
    const Seconds rounding = 1e-12 * std::max(before.step, after.step);
    const auto less = [&](Seconds from, Seconds to) {
        const Seconds removed = from - to;
        return removed > rounding || removed < -1 * rounding ? removed : Seconds{};
    };
    StageSavings result{before.waits, before.busy};
    for (std::size_t stage = 0; stage < result.waits.size(); ++stage) {
        for (std::size_t cause = 0; cause < kWaitCauses; ++cause)
            result.waits[stage][cause] = less(before.waits[stage][cause], after.waits[stage][cause]);
        result.work[stage] = less(before.busy[stage], after.busy[stage]);
    }
    return result;
}

} // namespace

TimingPass timingPass(const PipelineWork& without, const PipelineWork& with)
{
    TimingPass pass;
    const Usage original(simulate(without));
    Usage before = original;
    pass.steps.push_back({TimingStep::Original, original.step});
    const auto change = [&](TimingStep step, const PipelineWork& work) {
        const Usage after(simulate(work));
        pass.steps.push_back({step, after.step, savings(before, after)});
        before = after;
    };
    PipelineWork changed = without;
    if (changed.timing.sync == parallel::SyncTime::LastBackward) {
        changed.timing.sync = parallel::SyncTime::AfterPasses;
        change(TimingStep::DelayedSync, changed);
    }
    if (changed.timing.sync != parallel::SyncTime::Asynchronous) {
        changed.timing.sync = parallel::SyncTime::Asynchronous;
        change(TimingStep::AsyncSync, changed);
    }
    if (changed.timing.lazy) {
        changed.timing.lazy = false;
        change(TimingStep::EarlySends, changed);
    }
    change(TimingStep::OwnLinks, with);
    pass.removed = savings(original, before);
    return pass;
}

} // namespace stratoplan::pipeline
