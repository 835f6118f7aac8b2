// SPDX-License-Identifier: Apache-2.0
// The timeline of an event graph: slices, what idle stages waited for, and the critical path.
#include "core/pipeline/event_graph.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <span>

namespace stratoplan {

using namespace pipeline_detail;

namespace {

class TimelineWriter {
public:
    TimelineWriter(const PipelineWork& work, const EventGraph& graph)
        : m_work(work)
        , m_graph(graph)
        , m_lastSlice(graph.events().size(), -1)
    {
        m_timeline.stages = static_cast<int>(work.stages.size());
        m_timeline.microBatches = work.microBatches;
        m_timeline.chunks = graph.durations().chunks();
    }

    Timeline write()
    {
        const std::vector<StageEnd> ends = m_graph.stageEnds();
        m_timeline.step = Seconds(stepSeconds(m_work, ends));
        for (const StageEnd& end : ends)
            m_timeline.makespan = std::max(m_timeline.makespan, Seconds(end.end));
        writeSlices();
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
    /// Slices of one event: a backward pass begins with its recomputation.
    struct Parts {
        std::array<SliceKind, 2> kinds{};
        std::array<double, 2> seconds{};
    };

    [[nodiscard]] Parts parts(const Event& event) const
    {
        switch (event.kind) {
        case EventKind::Transfer:
            return {{event.pass == PassKind::Forward ? SliceKind::SendForward : SliceKind::SendBackward}, {event.duration}};
        case EventKind::GradientSync:
            return {{SliceKind::GradientSync}, {event.duration}};
        case EventKind::Optimizer:
            return {{SliceKind::Optimizer}, {event.duration}};
        case EventKind::Pass:
            break;
        }
        if (event.pass == PassKind::Forward)
            return {{SliceKind::Forward}, {event.duration}};
        if (event.pass == PassKind::WeightGradient)
            return {{SliceKind::WeightGradient}, {event.duration}};
        const double recompute = m_graph.durations().chunk(std::size_t(event.stage), event.chunk).recompute;
        return {{SliceKind::Recompute, SliceKind::Backward}, {recompute, event.duration - recompute}};
    }

    void writeSlices()
    {
        std::vector<EventId> order;
        for (std::size_t id = 0; id < m_graph.events().size(); ++id)
            if (m_graph.events()[id].duration > 0)
                order.push_back(EventId(id));
        std::stable_sort(order.begin(), order.end(), [&](EventId a, EventId b) {
            const Event& x = m_graph[a];
            const Event& y = m_graph[b];
            return x.stage != y.stage ? x.stage < y.stage : x.start < y.start;
        });
        m_timeline.slices.reserve(order.size() + order.size() / 4);
        std::size_t stageBegin = 0;
        std::size_t slicesBegin = 0;
        for (std::size_t n = 0; n < order.size(); ++n) {
            const Event& event = m_graph[order[n]];
            double start = event.start;
            const Parts own = parts(event);
            for (std::size_t k = 0; k < own.kinds.size(); ++k) {
                if (own.seconds[k] <= 0)
                    continue;
                m_timeline.slices.push_back(
                    {float(start), float(own.seconds[k]), event.microBatch, event.stage, event.chunk, own.kinds[k]});
                start += own.seconds[k];
            }
            m_lastSlice[std::size_t(order[n])] = std::int32_t(m_timeline.slices.size()) - 1;
            if (n + 1 == order.size() || m_graph[order[n + 1]].stage != event.stage) {
                sortSlices(slicesBegin, std::span(order).subspan(stageBegin, n + 1 - stageBegin));
                stageBegin = n + 1;
                slicesBegin = m_timeline.slices.size();
            }
        }
    }

    /// Slices from `first` on, of one stage: what runs beside a backward pass may start between its recomputation and the rest of it.
    void sortSlices(std::size_t first, std::span<const EventId> events)
    {
        const std::span<Slice> slices = std::span(m_timeline.slices).subspan(first);
        if (std::is_sorted(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.start < b.start; }))
            return;
        std::vector<std::size_t> order(slices.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return slices[a].start < slices[b].start; });
        const std::vector<Slice> before(slices.begin(), slices.end());
        std::vector<std::int32_t> place(slices.size());
        for (std::size_t n = 0; n < order.size(); ++n) {
            slices[n] = before[order[n]];
            place[order[n]] = std::int32_t(first + n);
        }
        for (const EventId id : events)
            m_lastSlice[std::size_t(id)] = place[std::size_t(m_lastSlice[std::size_t(id)]) - first];
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
            if (event.kind == EventKind::Transfer)
                continue; // on the stream of the passes: the stage waits for it
            if (begun)
                writeWaits(i, id, free, event.start);
            else if (!staggersSteps(m_work.schedule))
                addWait(i, free, event.start, Wait::Cause::WarmUp, endedBy(id));
            begun = true;
            free = event.end();
            busy += event.duration;
            held += event.kind == EventKind::Pass && event.pass == PassKind::Forward;
            most = std::max(most, held);
            held -= event.kind == EventKind::Pass && (event.pass == PassKind::Backward || event.pass == PassKind::WeightGradient);
        }
        // A stage waits for the others until the step is over: its own, where stages go on one by one.
        addWait(i, free, m_timeline.step.value() + (staggersSteps(m_work.schedule) ? end.begin : 0), Wait::Cause::CoolDown, -1);
        m_timeline.busy.emplace_back(busy);
        // A stage without a wait has summed its work one way and the step another: rounding is not idleness.
        m_timeline.idle.push_back(std::max(m_timeline.step - m_timeline.busy.back(), Seconds(0)));
        const int perMicroBatch = shape(m_work.schedule) == PipelineShape::TwoWay ? 1 : m_timeline.chunks;
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

    /// What lies on the way from the stage's own last contribution to the input of one of its passes, in seconds.
    struct Delays {
        double transfers = 0, queues = 0, reductions = 0;
    };

    [[nodiscard]] Delays delaysBefore(EventId id) const
    {
        Delays delays;
        const std::int32_t stage = m_graph[id].stage;
        for (EventId by = m_graph[id].startedBy; by != kNone;) {
            const Event& event = m_graph[by];
            if (event.kind == EventKind::Pass && event.stage == stage)
                break;
            if (event.kind == EventKind::GradientSync)
                delays.reductions += event.duration;
            if (event.kind != EventKind::Transfer) {
                by = event.startedBy;
                continue;
            }
            delays.transfers += event.duration;
            // One that stood in a queue was ready before: what it carries was made then.
            delays.queues += event.start - m_graph[event.inputs[0]].end();
            by = event.inputs[0];
        }
        return delays;
    }

    /// Before event `id` the stage was idle from `from` to `to`. Reductions, queues and transfers on the way to its input get as much of
    /// it as they would save if they took no time, in this order; work of other stages gets the rest.
    void writeWaits(std::size_t stage, EventId id, double from, double to)
    {
        if (to <= from)
            return;
        const Event& event = m_graph[id];
        const bool forward = event.kind == EventKind::Pass && event.pass == PassKind::Forward;
        const std::int32_t ended = endedBy(id);
        const Delays delays = delaysBefore(id);
        double left = to - from;
        const auto share = [&](double seconds) {
            const double own = std::min(left, seconds);
            left -= own;
            return own;
        };
        const double reductions = share(delays.reductions);
        const double queues = share(delays.queues);
        const double transfers = share(delays.transfers);
        double at = from;
        for (const auto& [cause, seconds] : {std::pair(forward ? Wait::Cause::Activation : Wait::Cause::Gradient, left),
                 {Wait::Cause::Transfer, transfers}, {Wait::Cause::Queue, queues}, {Wait::Cause::GradientSync, reductions}}) {
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
    Timeline m_timeline;
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
    const double passes = double(work.stages.size()) * work.microBatches * (shape(work.schedule) == PipelineShape::TwoWay ? 1 : effectiveChunks(work.schedule, work.chunks));
    // Forward, recomputation, backward, a transfer each way; the weight gradient; reduction and optimizer.
    const double slices = passes * (splitsBackward(work.schedule) ? 6 : 5);
    return slices + (1.0 + effectiveChunks(work.schedule, work.chunks)) * double(work.stages.size());
}

} // namespace stratoplan
