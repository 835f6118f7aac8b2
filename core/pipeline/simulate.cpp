// SPDX-License-Identifier: Apache-2.0
// The timeline of an event graph: slices, what idle stages waited for, and the critical path.
#include "core/pipeline/event_graph.h"
#include "core/pipeline/wait_causes.h"

#include <algorithm>
#include <cassert>

namespace stratoplan::pipeline {

using namespace detail;

namespace {

class TimelineWriter {
public:
    TimelineWriter(const PipelineWork& work, const EventGraph& graph)
        : m_work(work)
        , m_graph(graph)
        , m_gaps(idleGaps(work, graph))
        , m_lastSlice(graph.events().size(), -1)
    {
        m_timeline.stages = static_cast<int>(work.stages.size());
        m_timeline.microBatches = work.microBatches;
        m_timeline.chunks = graph.durations().chunks();
        m_timeline.shape = shape(work.schedule);
    }

    Timeline write()
    {
        const std::vector<StageEnd> ends = m_graph.stageEnds();
        m_timeline.step = Seconds(stepSeconds(m_work, ends));
        for (const StageEnd& end : ends)
            m_timeline.makespan = std::max(m_timeline.makespan, Seconds(end.end));
        m_timeline.slices.reserve(m_graph.events().size() * 5 / 4);
        for (std::size_t i = 0; i < m_work.stages.size(); ++i)
            writeSlices(i);
        double idle = 0;
        for (std::size_t i = 0; i < m_work.stages.size(); ++i) {
            writeStage(i, ends[i]);
            idle += m_timeline.idle.back().value();
        }
        const double all = m_timeline.step.value() * static_cast<double>(m_timeline.stages);
        m_timeline.bubbleFraction = all > 0 ? idle / all : 0;
        writeCriticalPath(ends);
        return std::move(m_timeline);
    }

private:
    /// A slice and its event.
    struct Drawn {
        double start = 0, seconds = 0;
        EventId event = kNone;
        SliceKind kind = SliceKind::Forward;
    };

    static SliceKind kindOf(const Event& event)
    {
        switch (event.kind) {
        case EventKind::Transfer:
            return event.pass == PassKind::Forward ? SliceKind::SendForward : SliceKind::SendBackward;
        case EventKind::Reshard:
            return event.pass == PassKind::Forward ? SliceKind::ReshardForward : SliceKind::ReshardBackward;
        case EventKind::GradientSync:
            return SliceKind::GradientSync;
        case EventKind::Optimizer:
            return SliceKind::Optimizer;
        case EventKind::ParameterGather:
            return SliceKind::ParameterGather;
        case EventKind::Pass:
            break;
        }
        switch (event.pass) {
        case PassKind::Forward:
            return SliceKind::Forward;
        case PassKind::WeightGradient:
            return SliceKind::WeightGradient;
        case PassKind::Backward:
        case PassKind::InputGradient:
            break;
        }
        return SliceKind::Backward;
    }

    /// A backward pass begins with its recomputation. What takes no time is not drawn.
    void draw(EventId id)
    {
        const Event& event = m_graph[id];
        const SliceKind kind = kindOf(event);
        const double recompute = kind == SliceKind::Backward ? m_graph.durations().recomputed(std::size_t(event.stage),
                                     {event.pass, event.chunk, event.microBatch}, event.duration)
                                                             : 0;
        if (recompute > 0)
            m_drawn.push_back({event.start, recompute, id, SliceKind::Recompute});
        if (event.duration > recompute)
            m_drawn.push_back({event.start + recompute, event.duration - recompute, id, kind});
    }

    void writeSlices(std::size_t stage)
    {
        m_drawn.clear();
        for (const EventGraph::Stream& stream : m_graph.streamsOf(stage)) {
            const auto middle = std::ptrdiff_t(m_drawn.size());
            for (const EventId id : stream)
                if (m_graph[id].stage == std::int32_t(stage)) // others occupy it at their receiving end
                    draw(id);
            std::inplace_merge(m_drawn.begin(), m_drawn.begin() + middle, m_drawn.end(),
                [](const Drawn& a, const Drawn& b) { return a.start < b.start; });
        }
        for (const Drawn& drawn : m_drawn) {
            const Event& event = m_graph[drawn.event];
            m_lastSlice[std::size_t(drawn.event)] = std::int32_t(m_timeline.slices.size());
            m_timeline.slices.push_back(
                {float(drawn.start), float(drawn.seconds), event.microBatch, event.stage, event.chunk, drawn.kind});
        }
    }

    void writeStage(std::size_t i, const StageEnd& end)
    {
        double busy = 0;
        double free = 0;
        int held = 0;
        int most = 0;
        bool begun = false;
        for (const EventId id : m_graph.passesOf(i)) {
            const Event& event = m_graph[id];
            if (isTransfer(event.kind))
                continue; // on the stream of the passes: the stage waits for it
            // Its own reductions, beside the passes or after them, are the stage's work as far as nothing hides them.
            if (event.kind == EventKind::Optimizer && event.inputs[0] != kNone)
                busy += event.start - free;
            else if (!begun && !staggersSteps(m_work.schedule))
                addWait(i, free, event.start, Wait::Cause::WarmUp, endedBy(id));
            begun = true;
            free = event.end();
            busy += event.duration;
            held += event.kind == EventKind::Pass && event.pass == PassKind::Forward;
            most = std::max(most, held);
            held -= event.kind == EventKind::Pass
                && (event.pass == PassKind::Backward || event.pass == PassKind::WeightGradient);
        }
        for (const IdleGap& gap : m_gaps[i])
            writeWaits(i, gap);
        // A stage waits for the others until the step is over: its own, where stages go on one by one.
        addWait(i, free, m_timeline.step.value() + (staggersSteps(m_work.schedule) ? end.begin : 0),
            Wait::Cause::CoolDown, -1);
        m_timeline.busy.emplace_back(busy);
        // A stage without a wait has summed its work one way and the step another: rounding is not idleness.
        m_timeline.idle.push_back(std::max(m_timeline.step - m_timeline.busy.back(), Seconds(0)));
        const int perMicroBatch = shape(m_work.schedule) == parallel::PipelineShape::TwoWay ? 1 : m_timeline.chunks;
        m_timeline.peakInFlight.push_back((most + perMicroBatch - 1) / perMicroBatch);
    }

    [[nodiscard]] std::int32_t endedBy(EventId id) const
    {
        // Something that takes no time is not drawn: what it waited for is.
        for (EventId by = m_graph[id].startedBy; by != kNone; by = m_graph[by].startedBy)
            if (m_lastSlice[std::size_t(by)] >= 0)
                return m_lastSlice[std::size_t(by)];
        return -1;
    }

    void writeWaits(std::size_t stage, const IdleGap& gap)
    {
        const Event& event = m_graph[gap.before];
        const bool forward = event.kind == EventKind::Pass && event.pass == PassKind::Forward;
        const std::int32_t ended = endedBy(gap.before);
        double at = gap.from;
        for (const auto& [cause, seconds] :
            {std::pair(forward ? Wait::Cause::Activation : Wait::Cause::Gradient, gap.rest()),
                {Wait::Cause::Transfer, gap.transfers}, {Wait::Cause::Queue, gap.queues},
                {Wait::Cause::GradientSync, gap.reductions}}) {
            addWait(stage, at, at + seconds, cause, ended);
            at += seconds;
        }
    }

    void addWait(std::size_t stage, double from, double to, Wait::Cause cause, std::int32_t ended)
    {
        if (to > from)
            m_timeline.waits.push_back({int(stage), Seconds(from), Seconds(to - from), cause, ended});
    }

    void writeCriticalPath(const std::vector<StageEnd>& ends)
    {
        std::size_t longest = 0;
        for (std::size_t i = 1; i < ends.size(); ++i)
            if (stepOf(m_work, ends[i]) > stepOf(m_work, ends[longest]))
                longest = i;
        for (EventId id = m_graph.passesOf(longest).back(); id != kNone; id = m_graph[id].startedBy)
            if (m_lastSlice[std::size_t(id)] >= 0)
                m_timeline.criticalPath.push_back(m_lastSlice[std::size_t(id)]);
        std::reverse(m_timeline.criticalPath.begin(), m_timeline.criticalPath.end());
    }

    const PipelineWork& m_work;
    const EventGraph& m_graph;
    std::vector<std::vector<IdleGap>> m_gaps; ///< by stage
    Timeline m_timeline;
    std::vector<Drawn> m_drawn; ///< of the stage that is being written
    std::vector<std::int32_t> m_lastSlice; ///< by event; -1: it takes no time
};

} // namespace

Timeline simulate(const PipelineWork& work)
{
    EventGraph graph(work);
    [[maybe_unused]] const bool ended = graph.run();
    assert(ended);
    return TimelineWriter(work, graph).write();
}

double timelineSlices(const PipelineWork& work)
{
    const double passes = double(work.stages.size()) * work.microBatches
        * (shape(work.schedule) == parallel::PipelineShape::TwoWay ? 1 : effectiveChunks(work.schedule, work.chunks));
    // Forward, recomputation, backward, a transfer each way, its resharding; the weight gradient; reduction, optimizer
    // and parameter gather.
    const double slices = passes * ((splitsBackward(work.schedule) ? 6 : 5) + (reshards(work) ? 2 : 0));
    return slices + (2.0 + effectiveChunks(work.schedule, work.chunks)) * double(work.stages.size());
}

} // namespace stratoplan::pipeline
