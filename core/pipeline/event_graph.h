// SPDX-License-Identifier: Apache-2.0
// The event graph of a pipeline, private to core/pipeline: passes, transfers, resharding, gradient reductions,
// optimizer steps and parameter gathers, each with its duration, the streams it occupies in order, and the events whose
// end it waits for. Builders differ in edges, never in durations (CommunicationTiming). Every event remembers the one
// that let it start: walking back from the end gives the critical path, and from the end of an idle interval its cause.
#pragma once

#include "core/pipeline/durations.h"
#include "core/pipeline/pipeline.h"
#include "core/pipeline/step_end.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stratoplan::pipeline::detail {

using EventId = std::int32_t;
inline constexpr EventId kNone = -1;

enum class EventKind : std::uint8_t { Pass, Transfer, Reshard, GradientSync, Optimizer, ParameterGather };
/// Whether it brings a boundary tensor from one stage to another, ready to be used.
[[nodiscard]] inline bool isTransfer(EventKind kind)
{
    return kind == EventKind::Transfer || kind == EventKind::Reshard;
}

struct Event {
    double duration = 0; ///< seconds
    double start = kNotYet;
    std::array<double, 2> lags{}; ///< from the end of each input until it is there: a loss that other stages work on
    std::array<EventId, 2> inputs{kNone, kNone};
    std::array<std::int32_t, 2> streams{kNone, kNone};
    EventId startedBy = kNone; ///< input or neighbour on a stream that ended last; none: it could start at once
    std::int32_t stage = 0; ///< of a transfer, the sender; of its resharding, the receiver
    std::int32_t microBatch = -1;
    std::int16_t chunk = 0;
    EventKind kind = EventKind::Pass;
    PassKind pass = PassKind::Forward; ///< of a transfer and its resharding, the pass that sends it
    [[nodiscard]] double end() const { return start + duration; }
};

class EventGraph {
public:
    /// Precondition: that of simulate(), but for orders in which a stage waits for ever.
    explicit EventGraph(const PipelineWork& work)
        : EventGraph(work, programsOf(work))
    {
    }
    /// The same with programsOf() it.
    EventGraph(const PipelineWork& work, std::span<const StageProgram> programs);

    /// Finds all start times. False: some events wait for each other for ever.
    [[nodiscard]] bool run();

    [[nodiscard]] const std::vector<Event>& events() const { return m_events; }
    [[nodiscard]] const Event& operator[](EventId id) const { return m_events[static_cast<std::size_t>(id)]; }
    using Stream = std::vector<EventId>; ///< what occupies it, in order
    static constexpr std::size_t kStreams = 7; ///< of a stage
    [[nodiscard]] std::span<const Stream, kStreams> streamsOf(std::size_t stage) const
    {
        return std::span<const Stream, kStreams>(&m_streams[kStreams * stage], kStreams);
    }
    /// The stream of a stage's passes.
    [[nodiscard]] const Stream& passesOf(std::size_t stage) const { return m_streams[kStreams * stage]; }
    [[nodiscard]] const Durations& durations() const { return m_durations; }
    [[nodiscard]] std::size_t stages() const { return m_stages; }
    /// All events of a graph that has run, each after all that it waited for.
    [[nodiscard]] const std::vector<EventId>& order() const { return m_order; }
    /// Whether the stage itself is at it: a pass, or a reduction or an optimizer step between its passes or after them.
    [[nodiscard]] static bool isWork(const Event& event)
    {
        return !isTransfer(event.kind) && event.streams[0] == std::int32_t(kStreams) * event.stage;
    }

    [[nodiscard]] std::vector<StageEnd> stageEnds() const;

private:
    class Builder;
    [[nodiscard]] bool isNext(EventId id) const;
    void begin(EventId id);

    Durations m_durations;
    std::size_t m_stages;
    std::vector<Event> m_events;
    std::vector<Stream> m_streams; ///< by stage: passes, links down and up, resharding of what came down and up,
                                   ///< communication, reductions
    std::vector<std::size_t> m_heads;
    std::vector<EventId> m_lastOn; ///< the last event that ran, by stream
    std::vector<EventId> m_order; ///< as they ran
};

} // namespace stratoplan::pipeline::detail
