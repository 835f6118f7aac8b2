// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/wait_causes.h"

#include <algorithm>

namespace stratoplan::pipeline::detail {
namespace {

using Gaps = std::vector<std::vector<IdleGap>>;

/// What takes no time; without queues a transfer leaves when what it carries is there.
struct Without {
    bool reductions = false, queues = false, transfers = false;
};

/// The waits of all stages in a run of the same events.
class Run {
public:
    Run(const EventGraph& graph, const Without& without)
        : m_graph(graph)
        , m_without(without)
        , m_ends(graph.events().size())
        , m_free(EventGraph::kStreams * graph.stages())
        , m_worked(graph.stages(), kNotYet)
    {
    }

    /// Tells `sink` of every event of a stage after its first, in order: when the one before has ended, and when it
    /// starts.
    template <class Sink>
    void time(Sink&& sink)
    {
        for (const EventId id : m_graph.order()) {
            const Event& event = m_graph[id];
            const double start = startOf(event);
            const double end = start + durationOf(event);
            m_ends[std::size_t(id)] = end;
            if (occupies(event))
                for (const std::int32_t stream : event.streams)
                    if (stream != kNone)
                        m_free[std::size_t(stream)] = end;
            if (!m_graph.isWork(event))
                continue;
            double& worked = m_worked[std::size_t(event.stage)];
            // A stage that waits for its own reductions beside the passes is not idle.
            if (worked != kNotYet && (event.kind != EventKind::Optimizer || event.inputs[0] == kNone))
                sink(id, worked, start);
            worked = end;
        }
    }

private:
    [[nodiscard]] bool occupies(const Event& event) const { return !m_without.queues || !isTransfer(event.kind); }

    [[nodiscard]] double durationOf(const Event& event) const
    {
        const bool none = event.kind == EventKind::GradientSync ? m_without.reductions
                                                                : isTransfer(event.kind) && m_without.transfers;
        return none ? 0 : event.duration;
    }

    [[nodiscard]] double startOf(const Event& event) const
    {
        double start = 0;
        for (std::size_t n = 0; n < event.inputs.size(); ++n)
            if (event.inputs[n] != kNone)
                start = std::max(start, m_ends[std::size_t(event.inputs[n])] + event.lags[n]);
        if (occupies(event))
            for (const std::int32_t stream : event.streams)
                if (stream != kNone)
                    start = std::max(start, m_free[std::size_t(stream)]);
        return start;
    }

    const EventGraph& m_graph;
    Without m_without;
    std::vector<double> m_ends; ///< by event
    std::vector<double> m_free; ///< by stream
    std::vector<double> m_worked; ///< end of the last event of each stage
};

/// Gives `part` of each wait what the stage waits less in a run `without`: no more than it waits less in all, and of
/// each wait in proportion to how much shorter it is there.
void divide(const EventGraph& graph, const Without& without, double IdleGap::*part, Gaps& gaps)
{
    struct Stage {
        std::vector<double> left; ///< of each wait
        std::size_t next = 0;
        double idle = 0; ///< in all: waits may be longer there, or new
    };
    std::vector<Stage> stages(gaps.size());
    Run(graph, without).time([&](EventId before, double from, double to) {
        Stage& stage = stages[std::size_t(graph[before].stage)];
        const std::vector<IdleGap>& stageGaps = gaps[std::size_t(graph[before].stage)];
        stage.idle += to - from;
        if (stage.next == stageGaps.size() || stageGaps[stage.next].before != before)
            return;
        stage.left.push_back(to - from);
        ++stage.next;
    });
    for (std::size_t i = 0; i < gaps.size(); ++i) {
        double saved = -stages[i].idle;
        double shorter = 0;
        for (std::size_t k = 0; k < gaps[i].size(); ++k) {
            saved += gaps[i][k].rest();
            shorter += std::max(0.0, gaps[i][k].rest() - stages[i].left[k]);
        }
        const double rounding = gaps[i].empty() ? 0 : 1e-12 * gaps[i].back().to;
        if (saved <= rounding)
            continue;
        const double share = std::min(1.0, saved / shorter);
        for (std::size_t k = 0; k < gaps[i].size(); ++k) {
            const double rest = gaps[i][k].rest();
            const double caused = std::max(0.0, rest - stages[i].left[k]) * share;
            gaps[i][k].*part = rest - caused <= rounding ? rest : caused;
        }
    }
}

} // namespace

std::vector<std::vector<IdleGap>> idleGaps(const PipelineWork& work, const EventGraph& graph)
{
    Gaps gaps(work.stages.size());
    Run(graph, {}).time([&](EventId before, double from, double to) {
        if (to > from)
            gaps[std::size_t(graph[before].stage)].push_back({before, from, to});
    });
    if (std::all_of(gaps.begin(), gaps.end(), [](const auto& stage) { return stage.empty(); }))
        return gaps;
    bool queues = false;
    bool transfers = false;
    for (const Event& event : graph.events()) {
        if (!isTransfer(event.kind))
            continue;
        queues = queues || event.start > graph[event.inputs[0]].end();
        transfers = transfers || event.duration > 0;
    }
    // Elsewhere no pass waits for a reduction.
    if (work.timing.sync == parallel::SyncTime::LastBackward)
        divide(graph, {true, false, false}, &IdleGap::reductions, gaps);
    if (queues)
        divide(graph, {true, true, false}, &IdleGap::queues, gaps);
    if (transfers)
        divide(graph, {true, true, true}, &IdleGap::transfers, gaps);
    return gaps;
}

} // namespace stratoplan::pipeline::detail
