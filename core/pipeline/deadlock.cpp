// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/deadlock.h"

#include "core/pipeline/event_graph.h"

#include <algorithm>

namespace stratoplan::pipeline {

using namespace detail;

namespace {

class Halt {
public:
    explicit Halt(const EventGraph& graph)
        : m_graph(graph)
    {
        for (std::size_t stage = 0; stage < graph.stages(); ++stage) {
            for (const EventGraph::Stream& stream : graph.streamsOf(stage)) {
                const auto next = std::find_if(stream.begin(), stream.end(), [&](EventId id) { return !hasRun(id); });
                m_next.push_back(next == stream.end() ? kNone : *next);
            }
        }
    }

    [[nodiscard]] std::vector<StuckPass> circle() const
    {
        std::vector<EventId> way;
        EventId blocked = *std::find_if(m_next.begin(), m_next.end(), [](EventId id) { return id != kNone; });
        for (; std::find(way.begin(), way.end(), blocked) == way.end(); blocked = blockerOf(blocked))
            way.push_back(blocked);
        std::vector<StuckPass> stuck;
        for (auto id = std::find(way.begin(), way.end(), blocked); id != way.end(); ++id) {
            const Event& event = m_graph[*id];
            if (event.kind == EventKind::Pass && m_next[std::size_t(event.streams[0])] == *id)
                stuck.push_back({event.stage, {event.pass, event.chunk, event.microBatch}});
        }
        return stuck;
    }

private:
    [[nodiscard]] bool hasRun(EventId id) const { return m_graph[id].start != kNotYet; }

    /// What has to run before it: what stands before it on a stream, or its input.
    [[nodiscard]] EventId blockerOf(EventId id) const
    {
        const Event& event = m_graph[id];
        for (const std::int32_t stream : event.streams)
            if (stream != kNone && m_next[std::size_t(stream)] != id)
                return m_next[std::size_t(stream)];
        return *std::find_if(
            event.inputs.begin(), event.inputs.end(), [&](EventId input) { return input != kNone && !hasRun(input); });
    }

    const EventGraph& m_graph;
    std::vector<EventId> m_next; ///< by stream: the first that has not run
};

} // namespace

std::vector<StuckPass> deadlock(const PipelineWork& work)
{
    // Passes that are stuck over links of their own are stuck whatever carries their transfers; what carries them in
    // turn does so in the order in which links would, and adds no circle.
    PipelineWork onLinks = work;
    onLinks.timing = {};
    EventGraph graph(onLinks);
    return graph.run() ? std::vector<StuckPass>() : Halt(graph).circle();
}

} // namespace stratoplan::pipeline
