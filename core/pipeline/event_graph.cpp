// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/event_graph.h"

#include <algorithm>
#include <utility>

namespace stratoplan::pipeline::detail {

/// Fills a graph: first the events, then their order on the streams.
class EventGraph::Builder {
public:
    Builder(const PipelineWork& work, std::span<const StageProgram> programs, EventGraph& graph)
        : m_work(work)
        , m_graph(graph)
        , m_stages(work.stages.size())
        , m_microBatches(static_cast<std::size_t>(work.microBatches))
        , m_programs(programs)
    {
        const std::size_t cells = static_cast<std::size_t>(graph.m_durations.route().length()) * m_microBatches;
        m_forward.assign(cells, kNone);
        m_gradient.assign(cells, kNone);
        m_activationSent.assign(cells, kNone);
        m_gradientSent.assign(cells, kNone);
    }

    void build()
    {
        m_graph.m_streams.resize(kStreams * m_stages);
        std::size_t steps = 0;
        for (const StageProgram& program : m_programs)
            steps += program.size();
        m_graph.m_events.reserve(2 * steps + (2 + std::size_t(m_graph.m_durations.chunks())) * m_stages);
        for (std::size_t i = 0; i < m_stages; ++i)
            m_graph.m_streams[std::size_t(stream(Passes, i))].reserve(
                m_programs[i].size() * (m_work.timing.path == parallel::TransferPath::Stream ? 4 : 1) + 2);
        addPasses();
        addSyncs();
        addTransfers();
        connect();
        switch (m_work.timing.path) {
        case parallel::TransferPath::Links:
            orderByProducer();
            break;
        case parallel::TransferPath::Queue:
        case parallel::TransferPath::Stream:
            orderByTick();
            break;
        }
        endStages();
    }

private:
    enum StreamOf { Passes, Down, Up, ReshardDown, ReshardUp, Communication, Reduction };
    [[nodiscard]] std::int32_t stream(StreamOf what, std::size_t stage) const
    {
        return std::int32_t(kStreams * stage + std::size_t(what));
    }
    [[nodiscard]] Event& event(EventId id) { return m_graph.m_events[std::size_t(id)]; }
    [[nodiscard]] const ChunkDurations& chunk(std::size_t stage, int number) const
    {
        return m_graph.m_durations.chunk(stage, number);
    }
    [[nodiscard]] std::size_t cell(std::size_t stage, const PipelineStep& step) const
    {
        return chunk(stage, step.chunk).virtualStage * m_microBatches + std::size_t(step.microBatch);
    }

    EventId add(Event event)
    {
        m_graph.m_events.push_back(event);
        return EventId(m_graph.m_events.size() - 1);
    }

    void addPasses()
    {
        for (std::size_t i = 0; i < m_stages; ++i) {
            m_steps.push_back(m_graph.m_events.size());
            for (std::size_t k = 0; k < m_programs[i].size(); ++k) {
                const PipelineStep& step = m_programs[i][k];
                Event pass;
                pass.duration = m_graph.m_durations.inProgram(i, m_programs[i], k);
                pass.stage = std::int32_t(i);
                pass.microBatch = step.microBatch;
                pass.chunk = std::int16_t(step.chunk);
                pass.pass = step.kind;
                pass.streams[0] = stream(Passes, i);
                const EventId id = add(pass);
                // The second pass of a pair ends both.
                if (step.kind == PassKind::Forward)
                    m_forward[cell(i, step)] = step.withNext ? id + 1 : id;
                else if (step.kind != PassKind::WeightGradient)
                    m_gradient[cell(i, step)] = id;
            }
        }
    }

    /// The reduction of a chunk's gradients follows its last backward pass. All chunks of a stage have equal shares of
    /// it.
    void addSyncs()
    {
        m_syncAfter.assign(m_graph.m_events.size(), kNone);
        if (m_work.timing.sync == parallel::SyncTime::AfterPasses)
            return;
        const int v = m_graph.m_durations.chunks();
        for (std::size_t i = 0; i < m_stages; ++i) {
            const double seconds = m_work.stages[i].gradientSync.value() / v;
            for (int c = 0; c < v && seconds > 0; ++c) {
                const StageProgram& program = m_programs[i];
                const auto last = std::find_if(program.rbegin(), program.rend(), [&](const PipelineStep& s) {
                    return s.chunk == c && (s.kind == PassKind::Backward || s.kind == PassKind::WeightGradient);
                });
                if (last == program.rend())
                    continue;
                const auto pass = EventId(m_steps[i] + std::size_t(program.rend() - last) - 1);
                Event sync;
                sync.kind = EventKind::GradientSync;
                sync.duration = seconds;
                sync.stage = std::int32_t(i);
                sync.chunk = std::int16_t(c);
                sync.inputs[0] = pass;
                sync.streams[0] =
                    stream(m_work.timing.sync == parallel::SyncTime::LastBackward ? Passes : Reduction, i);
                m_syncAfter[std::size_t(pass)] = add(sync);
            }
        }
    }

    /// Of a transfer: what carries it on its stage, and on the other one.
    [[nodiscard]] std::array<std::int32_t, 2> streamsOf(std::size_t from, std::size_t to, bool down) const
    {
        const auto both = [&](auto kind) {
            return std::array{stream(kind, from), to == from ? kNone : stream(kind, to)};
        };
        switch (m_work.timing.path) {
        case parallel::TransferPath::Queue:
            return both(Communication);
        case parallel::TransferPath::Stream:
            return both(Passes);
        case parallel::TransferPath::Links:
            break;
        }
        return {stream(down && !m_work.timing.onePort ? Down : Up, from), kNone};
    }

    void addTransfers()
    {
        m_sends.assign(m_syncAfter.size(), {kNone, kNone});
        for (std::size_t i = 0; i < m_stages; ++i) {
            for (std::size_t k = 0; k < m_programs[i].size(); ++k) {
                const PipelineStep& step = m_programs[i][k];
                if (step.kind == PassKind::WeightGradient)
                    continue;
                const bool forward = step.kind == PassKind::Forward;
                const ChunkDurations& d = chunk(i, step.chunk);
                if ((forward ? d.nextIsHere : d.previousIsHere) || !(forward ? d.hasNext : d.hasPrevious))
                    continue;
                const auto pass = EventId(m_steps[i] + k);
                Event send = event(pass);
                send.kind = EventKind::Transfer;
                send.duration = forward ? d.sendForward : d.sendBackward;
                // A reduction inside the last backward pass holds its gradient up.
                const bool inside =
                    m_work.timing.sync == parallel::SyncTime::LastBackward && m_syncAfter[std::size_t(pass)] != kNone;
                send.inputs[0] = step.withNext ? pass + 1 : inside ? m_syncAfter[std::size_t(pass)] : pass;
                const std::size_t other = std::size_t(forward ? d.next : d.previous);
                const bool down = forward == d.down;
                send.streams = streamsOf(i, other, down);
                const EventId id = add(send);
                const EventId arrives = addReshard(id, down, other, forward ? d.reshardForward : d.reshardBackward);
                auto& sends = m_sends[std::size_t(step.withNext ? pass + 1 : pass)];
                sends[sends[0] == kNone ? 0 : 1] = id;
                (forward ? m_activationSent : m_gradientSent)[cell(i, step)] = arrives;
            }
        }
    }

    /// By the receiver of a transfer, where it has to: on what carries the transfer, or beside it. What is there to be
    /// used in the end.
    EventId addReshard(EventId transfer, bool down, std::size_t receiver, double seconds)
    {
        if (seconds <= 0)
            return transfer;
        Event reshard = event(transfer);
        const parallel::Route& route = m_graph.m_durations.route();
        const int way = route.isTwoWay() ? reshard.chunk : 0;
        const int passed = route.virtualStage(reshard.stage, reshard.chunk);
        reshard.chunk = std::int16_t(route.at(passed + (reshard.pass == PassKind::Forward ? 1 : -1), way).chunk);
        reshard.kind = EventKind::Reshard;
        reshard.duration = seconds;
        reshard.stage = std::int32_t(receiver);
        reshard.inputs = {transfer, kNone};
        switch (m_work.timing.path) {
        case parallel::TransferPath::Links:
            reshard.streams = {stream(down ? ReshardDown : ReshardUp, receiver), kNone};
            break;
        case parallel::TransferPath::Queue:
            reshard.streams = {stream(Communication, receiver), kNone};
            break;
        case parallel::TransferPath::Stream:
            reshard.streams = {stream(Passes, receiver), kNone};
            break;
        }
        return add(reshard);
    }

    /// Each pass waits for its input: the transfer of it, or the pass before on the same stage.
    void connect()
    {
        for (std::size_t i = 0; i < m_stages; ++i) {
            for (std::size_t k = 0; k < m_programs[i].size(); ++k) {
                const PipelineStep& step = m_programs[i][k];
                connect(i, step, m_graph.m_events[m_steps[i] + k], 0);
                if (step.withNext)
                    connect(i, m_programs[i][k + 1], m_graph.m_events[m_steps[i] + k], 1);
            }
        }
    }

    void connect(std::size_t i, const PipelineStep& step, Event& pass, std::size_t input)
    {
        pass.inputs[input] = inputOf(i, step);
        const bool turns =
            !chunk(i, step.chunk).hasNext && (step.kind == PassKind::Backward || step.kind == PassKind::InputGradient);
        pass.lags[input] = turns ? m_work.loss.value() : 0;
    }

    [[nodiscard]] EventId inputOf(std::size_t i, const PipelineStep& step) const
    {
        const std::size_t index = cell(i, step);
        const ChunkDurations& d = chunk(i, step.chunk);
        if (step.kind == PassKind::WeightGradient)
            return m_gradient[index];
        if (step.kind == PassKind::Forward) {
            if (!d.hasPrevious)
                return kNone;
            const std::size_t before = index - m_microBatches;
            return d.previousIsHere ? m_forward[before] : m_activationSent[before];
        }
        if (!d.hasNext)
            return m_forward[index];
        const std::size_t after = index + m_microBatches;
        return d.nextIsHere ? m_gradient[after] : m_gradientSent[after];
    }

    void enqueue(EventId id)
    {
        for (const std::int32_t on : event(id).streams)
            if (on != kNone)
                m_graph.m_streams[std::size_t(on)].push_back(id);
    }

    /// A pass, and what a runtime runs as a part of it or beside it.
    void enqueuePass(EventId pass)
    {
        enqueue(pass);
        if (const EventId sync = m_syncAfter[std::size_t(pass)]; sync != kNone)
            enqueue(sync);
    }

    void enqueueSends(EventId pass)
    {
        for (const EventId send : m_sends[std::size_t(pass)])
            if (send != kNone)
                enqueueTransfer(send);
    }

    /// And its resharding, which was added after it.
    void enqueueTransfer(EventId transfer)
    {
        enqueue(transfer);
        const EventId next = transfer + 1;
        if (std::size_t(next) < m_graph.m_events.size() && event(next).kind == EventKind::Reshard)
            enqueue(next);
    }

    void orderByProducer()
    {
        for (std::size_t i = 0; i < m_stages; ++i) {
            for (std::size_t k = 0; k < m_programs[i].size(); ++k) {
                enqueuePass(EventId(m_steps[i] + k));
                enqueueSends(EventId(m_steps[i] + k));
            }
        }
    }

    /// A compiled schedule: a tick is a pass of every stage that has one. What a tick's passes need is transferred
    /// before them (lazy), or what they made after them.
    void orderByTick()
    {
        m_issued.assign(m_graph.m_events.size(), false);
        for (const std::vector<EventId>& passes : ticks()) {
            if (m_work.timing.lazy)
                for (const EventId pass : passes)
                    enqueueInputs(pass);
            for (const EventId pass : passes)
                enqueuePass(pass);
            if (!m_work.timing.lazy)
                for (const EventId pass : passes)
                    enqueueSends(pass);
        }
    }

    void enqueueInputs(EventId pass)
    {
        for (const EventId input : event(pass).inputs) {
            // The second pass of a pair finds its input there: the first has waited for it.
            if (input == kNone || !isTransfer(event(input).kind) || m_issued[std::size_t(input)])
                continue;
            m_issued[std::size_t(input)] = true;
            enqueueTransfer(event(input).kind == EventKind::Reshard ? event(input).inputs[0] : input);
        }
    }

    /// Passes by the time at which they start when each takes one tick and transfers take none; of one tick by stage.
    [[nodiscard]] std::vector<std::vector<EventId>> ticks() const
    {
        PipelineWork alike = m_work;
        alike.timing = {};
        alike.chunkWork.clear();
        alike.chunkOf.clear();
        alike.loss = {};
        const double v = m_graph.m_durations.chunks();
        const double parts = shape(m_work.schedule) == parallel::PipelineShape::TwoWay ? 1 : v;
        const bool splits = std::any_of(m_programs.front().begin(), m_programs.front().end(),
            [](const PipelineStep& s) { return s.kind == PassKind::WeightGradient; });
        StageWork tick;
        tick.forward = Seconds(parts);
        tick.backward = Seconds((splits ? 2 : 1) * parts);
        tick.weightGradient = Seconds(splits ? parts : 0);
        alike.stages.assign(m_stages, tick);
        EventGraph graph(alike, m_programs); // those that follow from the durations would be others
        std::vector<std::vector<EventId>> byTick;
        if (!graph.run())
            return byTick;
        for (std::size_t i = 0; i < m_stages; ++i) {
            for (const EventId pass : graph.passesOf(i)) {
                if (graph[pass].kind != EventKind::Pass)
                    continue;
                const auto startTick = static_cast<std::size_t>(graph[pass].start + 0.5);
                if (byTick.size() <= startTick)
                    byTick.resize(startTick + 1);
                byTick[startTick].push_back(pass); // passes have the same numbers in both graphs
            }
        }
        return byTick;
    }

    /// Reduction, optimizer and parameter gather after everything else.
    void endStages()
    {
        for (std::size_t i = 0; i < m_stages; ++i) {
            Event end;
            end.stage = std::int32_t(i);
            end.streams[0] = stream(Passes, i);
            if (m_work.timing.sync == parallel::SyncTime::AfterPasses && m_work.stages[i].gradientSync.value() > 0) {
                end.kind = EventKind::GradientSync;
                end.duration = m_work.stages[i].gradientSync.value();
                enqueue(add(end));
            }
            end.kind = EventKind::Optimizer;
            end.duration = m_work.stages[i].optimizer.value();
            const Stream& reductions = m_graph.m_streams[std::size_t(stream(Reduction, i))];
            end.inputs[0] = reductions.empty() ? kNone : reductions.back();
            enqueue(add(end));
            if (m_work.stages[i].parameterGather.value() <= 0)
                continue;
            end.kind = EventKind::ParameterGather;
            end.duration = m_work.stages[i].parameterGather.value();
            end.inputs[0] = kNone;
            enqueue(add(end));
        }
    }

    const PipelineWork& m_work;
    EventGraph& m_graph;
    std::size_t m_stages;
    std::size_t m_microBatches;
    std::span<const StageProgram> m_programs;
    std::vector<std::size_t> m_steps; ///< the event of a stage's first pass; the others follow it
    std::vector<EventId> m_forward, m_gradient, m_activationSent,
        m_gradientSent; ///< what ends a pass, at [virtual stage][micro-batch]
    std::vector<EventId> m_syncAfter; ///< by pass
    std::vector<std::array<EventId, 2>> m_sends; ///< by the pass whose end they wait for; of a pair both
    std::vector<bool> m_issued; ///< inputs, where they are lazy
};

EventGraph::EventGraph(const PipelineWork& work, std::span<const StageProgram> programs)
    : m_durations(work)
    , m_stages(work.stages.size())
{
    Builder(work, programs, *this).build();
    m_heads.assign(m_streams.size(), 0);
    m_lastOn.assign(m_streams.size(), kNone);
    m_order.reserve(m_events.size());
}

bool EventGraph::isNext(EventId id) const
{
    const Event& event = (*this)[id];
    for (const std::int32_t on : event.streams) {
        if (on == kNone)
            continue;
        const Stream& stream = m_streams[std::size_t(on)];
        const std::size_t head = m_heads[std::size_t(on)];
        if (head == stream.size() || stream[head] != id)
            return false;
    }
    return std::all_of(event.inputs.begin(), event.inputs.end(),
        [&](EventId input) { return input == kNone || (*this)[input].start >= 0; });
}

void EventGraph::begin(EventId id)
{
    Event& event = m_events[std::size_t(id)];
    m_order.push_back(id);
    event.start = 0;
    // Of what ends at the same time an input is named: the wait was for it, whoever stood before on the stream.
    const auto after = [&](EventId other, double lag) {
        if (other == kNone)
            return;
        const double end = (*this)[other].end() + lag;
        if (event.startedBy == kNone || end > event.start) {
            event.start = std::max(end, event.start);
            event.startedBy = other;
        }
    };
    for (std::size_t n = 0; n < event.inputs.size(); ++n)
        after(event.inputs[n], event.lags[n]);
    for (const std::int32_t on : event.streams) {
        if (on == kNone)
            continue;
        after(m_lastOn[std::size_t(on)], 0);
        m_lastOn[std::size_t(on)] = id;
        ++m_heads[std::size_t(on)];
    }
}

bool EventGraph::run()
{
    // Down the stages with activations and up with gradients: a sweep carries each as far as it goes.
    std::vector<std::int32_t> down;
    std::vector<std::int32_t> up;
    const auto add = [&](std::vector<std::int32_t>& order, std::size_t stream) {
        if (!m_streams[stream].empty())
            order.push_back(std::int32_t(stream));
    };
    for (std::size_t i = 0; i < m_stages; ++i) {
        for (std::size_t n = 0; n < kStreams; ++n) {
            add(down, kStreams * i + n);
            add(up, kStreams * (m_stages - 1 - i) + n);
        }
    }
    std::size_t left = m_events.size();
    while (left > 0) {
        const std::size_t before = left;
        for (const auto* order : {&down, &up}) {
            for (const std::int32_t on : *order) {
                const Stream& stream = m_streams[std::size_t(on)];
                for (std::size_t& head = m_heads[std::size_t(on)]; head < stream.size() && isNext(stream[head]); --left)
                    begin(stream[head]); // moves the head on
            }
        }
        if (left == before)
            return false;
    }
    return true;
}

std::vector<StageEnd> EventGraph::stageEnds() const
{
    std::vector<StageEnd> ends;
    ends.reserve(m_stages);
    for (std::size_t i = 0; i < m_stages; ++i) {
        const Stream& passes = passesOf(i);
        const auto first =
            std::find_if(passes.begin(), passes.end(), [&](EventId id) { return (*this)[id].kind == EventKind::Pass; });
        ends.push_back({(*this)[*first].start, (*this)[passes.back()].end()});
    }
    return ends;
}

} // namespace stratoplan::pipeline::detail
