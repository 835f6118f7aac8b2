// SPDX-License-Identifier: Apache-2.0
// Why stages wait between their passes, private to core/pipeline. An event graph that has run is timed again with
// reductions, then queues, then transfers taking no time: what a stage then waits less is what they cost it. Idle time
// that only moves to another pass, because work of other stages is what holds the stage up, costs nothing.
#pragma once

#include "core/pipeline/event_graph.h"

#include <vector>

namespace stratoplan::pipeline::detail {

/// A stage has ended one of its events and waits for the next. Seconds.
struct IdleGap {
    EventId before = kNone; ///< what it waits for
    double from = 0, to = 0;
    double reductions = 0, queues = 0, transfers = 0; ///< their parts of it; the rest is work of other stages
    [[nodiscard]] double rest() const { return to - from - reductions - queues - transfers; }
};

/// By stage, in time. Precondition: graph.run() was true.
[[nodiscard]] std::vector<std::vector<IdleGap>> idleGaps(const PipelineWork& work, const EventGraph& graph);

} // namespace stratoplan::pipeline::detail
