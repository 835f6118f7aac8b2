// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/timing_pass.h"

#include <algorithm>

namespace stratoplan {

std::string_view key(Wait::Cause cause)
{
    constexpr std::array<std::string_view, kWaitCauses> kKeys{"warm_up", "activation", "gradient", "transfer", "queue", "gradient_sync", "cool_down"};
    return kKeys[static_cast<std::size_t>(cause)];
}

std::string_view key(TimingStep step)
{
    constexpr std::array<std::string_view, 5> kKeys{"original", "delayed_sync", "async_sync", "early_sends", "own_links"};
    return kKeys[static_cast<std::size_t>(step)];
}

std::vector<WaitSeconds> waitsByStage(const Timeline& timeline)
{
    std::vector<WaitSeconds> waits(static_cast<std::size_t>(timeline.stages));
    for (const Wait& wait : timeline.waits)
        waits[static_cast<std::size_t>(wait.stage)][static_cast<std::size_t>(wait.cause)] += wait.duration;
    return waits;
}

WaitSeconds TimingPass::removedByCause() const
{
    WaitSeconds sum{};
    for (const WaitSeconds& stage : removed)
        for (std::size_t cause = 0; cause < kWaitCauses; ++cause)
            sum[cause] += stage[cause];
    return sum;
}

TimingPass timingPass(const PipelineWork& without, const PipelineWork& with)
{
    TimingPass pass;
    const Timeline before = simulate(without);
    const Timeline after = simulate(with);
    pass.steps.push_back({TimingStep::Original, before.step});
    PipelineWork changed = without;
    const auto change = [&](TimingStep step) { pass.steps.push_back({step, simulateMakespan(changed)}); };
    if (changed.timing.sync == SyncTime::LastBackward) {
        changed.timing.sync = SyncTime::AfterPasses;
        change(TimingStep::DelayedSync);
    }
    if (changed.timing.sync != SyncTime::Asynchronous) {
        changed.timing.sync = SyncTime::Asynchronous;
        change(TimingStep::AsyncSync);
    }
    if (changed.timing.lazy) {
        changed.timing.lazy = false;
        change(TimingStep::EarlySends);
    }
    pass.steps.push_back({TimingStep::OwnLinks, after.step});
    pass.removed = waitsByStage(before);
    const std::vector<WaitSeconds> left = waitsByStage(after);
    const Seconds rounding = 1e-12 * std::max(before.step, after.step);
    for (std::size_t stage = 0; stage < left.size(); ++stage) {
        for (std::size_t cause = 0; cause < kWaitCauses; ++cause) {
            const Seconds removed = pass.removed[stage][cause] - left[stage][cause];
            pass.removed[stage][cause] = removed > rounding || removed < -1 * rounding ? removed : Seconds{};
        }
    }
    return pass;
}

} // namespace stratoplan
