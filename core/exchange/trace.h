// SPDX-License-Identifier: Apache-2.0
// A simulated step in the Trace Event Format, which Perfetto and chrome://tracing read: complete events in
// microseconds, one process per stage, tracks for its computation, for each kind of communication beside it and for its
// waits with their causes, and a counter of its memory. Viewers nest events that overlap on a track; here none do: what
// runs at the same time has a track of its own.
#pragma once

#include "core/estimate/memory_timeline.h"
#include "core/pipeline/pipeline.h"

#include <string>
#include <vector>

namespace stratoplan::exchange {

/// The whole file. `memory` is of the same step; without stages it leaves the counters out. With the boundaries of the
/// estimate transfers have their bytes, and those that reshard are called so.
[[nodiscard]] std::string traceText(const std::string& planName, const pipeline::Timeline& timeline,
    const estimate::MemoryTimeline& memory, const std::vector<pricing::StageBoundary>& boundaries = {});

} // namespace stratoplan::exchange
