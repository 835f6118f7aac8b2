// SPDX-License-Identifier: Apache-2.0
// Start times of the passes of a pipeline whose transfers go over independent links, private to core/pipeline. It needs
// no priority queue: every stage runs its program in order and every link carries its transfers in order, so a pass
// starts at max(its stage is free, its input has arrived), whichever order the stages are visited in. Stages are swept
// down and up until all programs have ended; each sweep moves what it can. Other ways of carrying transfers:
// event_graph.h, which also keeps what waited for what.
#pragma once

#include "core/pipeline/durations.h"
#include "core/pipeline/pipeline.h"
#include "core/pipeline/step_end.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace stratoplan::pipeline::detail {

/// Whether transfers go over links that nothing else uses, and reductions follow the passes.
inline bool runsOnLinks(const PipelineWork& work)
{
    const bool reducedLast = work.timing.sync == parallel::SyncTime::AfterPasses
        || (work.timing.sync == parallel::SyncTime::Asynchronous && effectiveChunks(work.schedule, work.chunks) == 1);
    return work.timing.path == parallel::TransferPath::Links && reducedLast;
}

/// Runs every stage's program. `Recorder` is told of each step as it starts, pass(stage, start), and of the transfer
/// after it, transfer(stage, down, start), and of what its receiver reshards, reshard(stage, down, start).
template <class Recorder>
class Engine {
public:
    /// `programs`: programsOf() the work, if they are known.
    Engine(const PipelineWork& work, Recorder& recorder, const std::vector<StageProgram>* programs = nullptr)
        : m_recorder(recorder)
        , m_durations(work)
        , m_stages(work.stages.size())
        , m_microBatches(static_cast<std::size_t>(work.microBatches))
        , m_loss(work.loss.value())
        , m_onePort(work.timing.onePort)
    {
        assert(!work.stages.empty() && work.microBatches >= 1 && work.timing.path == parallel::TransferPath::Links);
        const int p = static_cast<int>(m_stages);
        const int v = m_durations.chunks();
        const std::size_t cells = static_cast<std::size_t>(m_durations.route().length()) * m_microBatches;
        m_activation.assign(cells, kNotYet);
        m_gradient.assign(cells, kNotYet);
        std::fill_n(m_activation.begin(), m_microBatches, 0.0);
        m_cursors.resize(m_stages);
        if (!work.order.empty() || splitsBackward(work.schedule)) {
            if (programs == nullptr)
                m_ownPrograms = programsOf(work);
            m_programs = programs != nullptr ? *programs : m_ownPrograms;
            return;
        }
        m_forward = chunkPasses(work.schedule, false, p, v, work.microBatches);
        m_backward = chunkPasses(work.schedule, true, p, v, work.microBatches);
        for (int i = 0; i < p; ++i)
            m_cursors[static_cast<std::size_t>(i)].warmUp =
                static_cast<std::size_t>(warmUpPasses(work.schedule, p, v, work.microBatches, i, work.lookahead));
    }

    /// False: stages wait for each other for ever.
    [[nodiscard]] bool run()
    {
        std::size_t left = 2 * m_forward.size() * m_stages;
        for (const StageProgram& program : m_programs)
            left += program.size();
        while (left > 0) {
            const std::size_t before = left;
            for (std::size_t i = 0; i < m_stages; ++i)
                left -= m_programs.empty() ? advance(i) : follow(i);
            for (std::size_t i = m_stages; i-- > 0;)
                left -= m_programs.empty() ? advance(i) : follow(i);
            if (left == before)
                return false;
        }
        return true;
    }

    /// When stage i begins its first and ends its last pass.
    [[nodiscard]] double begin(std::size_t i) const { return m_cursors[i].begin; }
    [[nodiscard]] double end(std::size_t i) const { return m_cursors[i].free; }

private:
    /// Where a stage stands in its program.
    struct Cursor {
        std::size_t step = 0;
        std::size_t warmUp = 0;
        double begin = kNotYet; ///< start of the first pass
        double free = 0; ///< end of the last pass
        double linkDown = 0; ///< end of the last transfer to the next stage
        double linkUp = 0; ///< end of the last transfer to the previous stage, or of any through the one port
        double reshardDown = 0, reshardUp = 0; ///< when those have resharded the last of them
    };

    /// Runs stage i until its next input is missing; returns the passes it ran.
    std::size_t advance(std::size_t i)
    {
        Cursor& cursor = m_cursors[i];
        const std::size_t begin = cursor.step;
        const std::size_t passes = m_forward.size();
        const std::size_t alternating = 2 * passes - cursor.warmUp; // first step of the cool-down
        for (; cursor.step < 2 * passes; ++cursor.step) {
            const std::size_t k = cursor.step;
            const bool warming = k < cursor.warmUp;
            const bool cooling = k >= alternating;
            const std::size_t half = warming ? 0 : (k - cursor.warmUp) / 2;
            const bool isForward = warming || (!cooling && (k - cursor.warmUp) % 2 == 0);
            const bool ran = isForward ? runForward(i, m_forward[warming ? k : cursor.warmUp + half])
                                       : runBackward(i, m_backward[cooling ? k - passes : half]);
            if (!ran)
                break;
        }
        return cursor.step - begin;
    }

    /// The same by a list of steps.
    std::size_t follow(std::size_t i)
    {
        Cursor& cursor = m_cursors[i];
        const StageProgram& program = m_programs[i];
        const std::size_t begin = cursor.step;
        while (cursor.step < program.size()) {
            const PipelineStep& step = program[cursor.step];
            if (step.withNext ? !runPair(i, step, program[cursor.step + 1]) : !runStep(i, step))
                break;
            cursor.step += step.withNext ? 2 : 1;
        }
        return cursor.step - begin;
    }

    bool runStep(std::size_t i, const PipelineStep& step)
    {
        switch (step.kind) {
        case PassKind::Forward:
            return runForward(i, step);
        case PassKind::Backward:
        case PassKind::InputGradient:
            return runBackward(i, step);
        case PassKind::WeightGradient:
            break;
        }
        // Its input gradient has run on the same stage before: nothing to wait for.
        Cursor& cursor = m_cursors[i];
        m_recorder.pass(i, cursor.free);
        cursor.free += m_durations.durationOf(i, step);
        return true;
    }

    [[nodiscard]] std::size_t cell(std::size_t i, const PipelineStep& step) const
    {
        return m_durations.chunk(i, step.chunk).virtualStage * m_microBatches
            + static_cast<std::size_t>(step.microBatch);
    }

    void start(Cursor& cursor, double when, std::size_t i)
    {
        if (cursor.begin == kNotYet)
            cursor.begin = when;
        m_recorder.pass(i, when);
    }

    bool runForward(std::size_t i, const PipelineStep& pass)
    {
        const std::size_t index = cell(i, pass);
        if (!runPass(i, pass, m_activation[index]))
            return false;
        sendActivation(i, pass, index);
        return true;
    }

    bool runBackward(std::size_t i, const PipelineStep& pass)
    {
        const std::size_t index = cell(i, pass);
        if (!runPass(i, pass, m_gradient[index]))
            return false;
        sendGradient(i, pass, index);
        return true;
    }

    /// False: its input has not arrived.
    bool runPass(std::size_t i, const PipelineStep& pass, double arrival)
    {
        if (arrival == kNotYet)
            return false;
        Cursor& cursor = m_cursors[i];
        const double begin = std::max(cursor.free, arrival);
        start(cursor, begin, i);
        cursor.free = begin + m_durations.durationOf(i, pass);
        return true;
    }

    bool runPair(std::size_t i, const PipelineStep& forward, const PipelineStep& backward)
    {
        const std::size_t activation = cell(i, forward);
        const std::size_t gradient = cell(i, backward);
        if (m_activation[activation] == kNotYet || m_gradient[gradient] == kNotYet)
            return false;
        Cursor& cursor = m_cursors[i];
        const double begin = std::max({cursor.free, m_activation[activation], m_gradient[gradient]});
        const double second =
            begin + (m_durations.durationOf(i, forward) - m_durations.hiddenBehind(i, forward, backward));
        start(cursor, begin, i);
        cursor.free = second + (m_durations.durationOf(i, backward) - m_durations.hiddenBehind(i, backward, forward));
        sendActivation(i, forward, activation);
        start(cursor, second, i);
        sendGradient(i, backward, gradient);
        return true;
    }

    void sendActivation(std::size_t i, const PipelineStep& pass, std::size_t index)
    {
        const ChunkDurations& chunk = m_durations.chunk(i, pass.chunk);
        if (chunk.hasNext)
            m_activation[index + m_microBatches] =
                send(i, chunk.down, chunk.sendForward, chunk.reshardForward, chunk.nextIsHere);
        else
            m_gradient[index] = m_cursors[i].free + m_loss;
    }

    void sendGradient(std::size_t i, const PipelineStep& pass, std::size_t index)
    {
        const ChunkDurations& chunk = m_durations.chunk(i, pass.chunk);
        if (chunk.hasPrevious)
            m_gradient[index - m_microBatches] =
                send(i, !chunk.down, chunk.sendBackward, chunk.reshardBackward, chunk.previousIsHere);
    }

    /// When it is there to be used.
    double send(std::size_t i, bool down, double seconds, double reshard, bool here)
    {
        Cursor& cursor = m_cursors[i];
        if (here)
            return cursor.free;
        double& link = down && !m_onePort ? cursor.linkDown : cursor.linkUp;
        const double departs = std::max(cursor.free, link);
        link = departs + seconds;
        m_recorder.transfer(i, down, departs);
        if (reshard <= 0)
            return link;
        double& resharded = down ? cursor.reshardDown : cursor.reshardUp;
        const double begins = std::max(link, resharded);
        m_recorder.reshard(i, down, begins);
        resharded = begins + reshard;
        return resharded;
    }

    Recorder& m_recorder;
    Durations m_durations;
    std::size_t m_stages;
    std::size_t m_microBatches;
    double m_loss;
    bool m_onePort;
    StageProgram m_forward, m_backward; ///< of every stage, where programs are not listed
    std::vector<StageProgram> m_ownPrograms;
    std::span<const StageProgram> m_programs; ///< listed
    std::vector<double> m_activation, m_gradient; ///< arrival times at [virtual stage][micro-batch]
    std::vector<Cursor> m_cursors;
};

/// Reduction, optimizer and parameter gather follow the last pass.
template <class Recorder>
std::vector<StageEnd> run(
    const PipelineWork& work, Recorder& recorder, const std::vector<StageProgram>* programs = nullptr)
{
    Engine engine(work, recorder, programs);
    [[maybe_unused]] const bool ended = engine.run();
    assert(ended);
    std::vector<StageEnd> ends;
    ends.reserve(work.stages.size());
    for (std::size_t i = 0; i < work.stages.size(); ++i)
        ends.push_back({engine.begin(i), endAfter(engine.end(i), work.stages[i])});
    return ends;
}

} // namespace stratoplan::pipeline::detail
