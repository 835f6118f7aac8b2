// SPDX-License-Identifier: GPL-3.0-or-later
// A plan read, priced and simulated, for `simulate` and `trace`.
#pragma once

#include "app/cli/commands.h"
#include "core/estimate/memory_timeline.h"
#include "core/pipeline/stage_profile.h"
#include "core/pipeline/timing_pass.h"

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::cli {

struct Simulation {
    plan::Plan plan;
    std::string order; ///< file of the order in place of the schedule's; empty: none
    pipeline::Timeline timeline;
    estimate::MemoryTimeline memory;
    Bytes capacity{}; ///< of the accelerators of the stage at the peak
    bool fitsHost = true; ///< what is offloaded
    std::vector<pipeline::StageProfile> profiles;
    std::vector<pricing::StageBoundary> boundaries;
    std::optional<pipeline::TimingPass> pass; ///< asked for
    std::vector<pipeline::StageProfile> otherProfiles; ///< with the timing pass the other way, where it is asked for
    [[nodiscard]] bool fits() const
    {
        return fitsHost && memory.peak().bytes <= capacity * (1 + 1e-12);
    } // a sum in another order
};

/// With the timing pass the other way, too, where `arguments.pass` asks for a comparison; or the exit code of the
/// refusal, which has been told.
[[nodiscard]] tl::expected<Simulation, int> simulatePlan(const SimulateArguments& arguments, bool compares);

} // namespace stratoplan::cli
