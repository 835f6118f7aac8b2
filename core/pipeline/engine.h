// SPDX-License-Identifier: Apache-2.0
// The event graph of a pipeline, private to core/pipeline. It needs no priority queue: every stage runs its program in order and
// every link carries its transfers in order, so a pass starts at max(its stage is free, its input has arrived), whichever order
// the stages are visited in. Stages are swept down and up until all programs have ended; each sweep moves what it can.
#pragma once

#include "core/pipeline/pipeline.h"
#include "core/pipeline/program.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stratoplan::pipeline_detail {

inline constexpr double kNotYet = -1;

/// A pass of every stage, as an offset into the table of arrivals at [virtual stage][micro-batch].
struct Pass {
    std::size_t cell = 0;
    std::int32_t microBatch = 0;
    std::int16_t chunk = 0;
};

/// What one stage does with one chunk pass, in seconds.
struct Durations {
    double forward = 0, backward = 0, weightGradient = 0, sendForward = 0, sendBackward = 0;
};

/// Where a stage stands in its program.
struct Cursor {
    std::size_t step = 0;
    std::size_t warmUp = 0;
    double begin = kNotYet; ///< start of the first pass
    double free = 0; ///< end of the last pass
    double linkForward = 0; ///< end of the last transfer to the next stage
    double linkBackward = 0; ///< end of the last transfer to the previous stage
};

/// Runs every stage's program. `Recorder` is told of each pass and transfer as it starts: forward, backward and weightGradient with
/// (stage, pass, when the stage was free, start), sendForward and sendBackward with (stage, pass, start).
template <class Recorder>
class Engine {
public:
    Engine(const PipelineWork& work, Recorder& recorder)
        : m_recorder(recorder)
        , m_stages(work.stages.size())
        , m_microBatches(static_cast<std::size_t>(work.microBatches))
        , m_loss(work.loss.value())
    {
        assert(!work.stages.empty() && work.microBatches >= 1 && canSimulate(work.schedule));
        const int p = static_cast<int>(m_stages);
        const int v = effectiveChunks(work.schedule, work.chunks);
        const std::size_t cells = m_stages * m_microBatches * static_cast<std::size_t>(v);
        m_passes = m_microBatches * static_cast<std::size_t>(v);
        m_splits = splitsBackward(work.schedule);
        if (!m_splits) {
            tabulate(m_forward, chunkPasses(work.schedule, false, p, v, work.microBatches));
            tabulate(m_backward, chunkPasses(work.schedule, true, p, v, work.microBatches));
        }
        m_activation.assign(cells, kNotYet);
        m_gradient.assign(cells, kNotYet);
        std::fill_n(m_activation.begin(), m_microBatches, 0.0);
        m_durations.reserve(m_stages);
        m_cursors.resize(m_stages);
        for (int i = 0; i < p; ++i) {
            const StageWork& w = work.stages[static_cast<std::size_t>(i)];
            const double weights = m_splits ? std::min(w.weightGradient, w.backward).value() : 0;
            m_durations.push_back({w.forward.value() / v, w.backward.value() / v - weights, weights, w.sendForward.value(), w.sendBackward.value()});
            if (m_splits)
                m_programs.push_back(stageProgram(work.schedule, p, v, work.microBatches, i, work.lookahead));
            m_cursors[static_cast<std::size_t>(i)].warmUp =
                static_cast<std::size_t>(warmUpPasses(work.schedule, p, v, work.microBatches, i, work.lookahead));
        }
    }

    void run()
    {
        std::size_t left = (m_splits ? 3 : 2) * m_passes * m_stages;
        while (left > 0) {
            [[maybe_unused]] const std::size_t before = left;
            for (std::size_t i = 0; i < m_stages; ++i)
                left -= m_splits ? follow(i) : advance(i);
            for (std::size_t i = m_stages; i-- > 0;)
                left -= m_splits ? follow(i) : advance(i);
            assert(left < before);
        }
    }

    /// When stage i has ended its last pass.
    [[nodiscard]] double end(std::size_t i) const { return m_cursors[i].free; }
    /// When stage i has begun its first pass.
    [[nodiscard]] double begin(std::size_t i) const { return m_cursors[i].begin; }

private:
    void tabulate(std::vector<Pass>& table, const std::vector<PipelineStep>& steps) const
    {
        table.reserve(steps.size());
        for (const PipelineStep& s : steps) {
            const std::size_t cell = static_cast<std::size_t>(s.chunk) * m_stages * m_microBatches + static_cast<std::size_t>(s.microBatch);
            table.push_back({cell, s.microBatch, static_cast<std::int16_t>(s.chunk)});
        }
    }

    /// Runs stage i until its next input is missing; returns the passes it ran.
    std::size_t advance(std::size_t i)
    {
        Cursor& at = m_cursors[i];
        const std::size_t begin = at.step;
        const std::size_t alternating = 2 * m_passes - at.warmUp; // first step of the cool-down
        for (; at.step < 2 * m_passes; ++at.step) {
            const std::size_t k = at.step;
            const bool warming = k < at.warmUp;
            const bool cooling = k >= alternating;
            const std::size_t half = warming ? 0 : (k - at.warmUp) / 2;
            const bool isForward = warming || (!cooling && (k - at.warmUp) % 2 == 0);
            const bool ran = isForward ? runForward(i, m_forward[warming ? k : at.warmUp + half])
                                       : runBackward(i, m_backward[cooling ? k - m_passes : half]);
            if (!ran)
                break;
        }
        return at.step - begin;
    }

    /// The same by a list of steps.
    std::size_t follow(std::size_t i)
    {
        Cursor& at = m_cursors[i];
        const std::size_t begin = at.step;
        for (; at.step < m_programs[i].size(); ++at.step) {
            const PipelineStep& step = m_programs[i][at.step];
            const Pass pass{static_cast<std::size_t>(step.microBatch), step.microBatch, static_cast<std::int16_t>(step.chunk)};
            const bool ran = step.kind == PassKind::Forward ? runForward(i, pass)
                : step.kind == PassKind::Backward           ? runBackward(i, pass)
                                                            : runWeightGradient(i, pass);
            if (!ran)
                break;
        }
        return at.step - begin;
    }

    bool runForward(std::size_t i, const Pass& pass)
    {
        const std::size_t cell = pass.cell + i * m_microBatches;
        const double arrived = m_activation[cell];
        if (arrived == kNotYet)
            return false;
        Cursor& at = m_cursors[i];
        const double start = std::max(at.free, arrived);
        if (at.begin == kNotYet)
            at.begin = start;
        m_recorder.forward(static_cast<int>(i), pass, at.free, start);
        at.free = start + m_durations[i].forward;
        const std::size_t consumer = cell + m_microBatches; // virtual stages follow one another in the table
        if (consumer < m_activation.size()) {
            const double departs = std::max(at.free, at.linkForward);
            at.linkForward = departs + m_durations[i].sendForward;
            m_activation[consumer] = at.linkForward;
            m_recorder.sendForward(static_cast<int>(i), pass, departs);
        } else {
            m_gradient[cell] = at.free + m_loss;
        }
        return true;
    }

    bool runBackward(std::size_t i, const Pass& pass)
    {
        const std::size_t cell = pass.cell + i * m_microBatches;
        const double arrived = m_gradient[cell];
        if (arrived == kNotYet)
            return false;
        Cursor& at = m_cursors[i];
        const double start = std::max(at.free, arrived);
        m_recorder.backward(static_cast<int>(i), pass, at.free, start);
        at.free = start + m_durations[i].backward;
        if (cell >= m_microBatches) {
            const double departs = std::max(at.free, at.linkBackward);
            at.linkBackward = departs + m_durations[i].sendBackward;
            m_gradient[cell - m_microBatches] = at.linkBackward;
            m_recorder.sendBackward(static_cast<int>(i), pass, departs);
        }
        return true;
    }

    /// Its input gradient has run on the same stage before: nothing to wait for.
    bool runWeightGradient(std::size_t i, const Pass& pass)
    {
        Cursor& at = m_cursors[i];
        m_recorder.weightGradient(static_cast<int>(i), pass, at.free, at.free);
        at.free += m_durations[i].weightGradient;
        return true;
    }

    Recorder& m_recorder;
    std::size_t m_stages;
    std::size_t m_microBatches;
    double m_loss;
    std::size_t m_passes = 0; ///< forward passes of one stage: m v
    bool m_splits = false; ///< the backward pass: programs are lists of steps
    std::vector<Pass> m_forward, m_backward;
    std::vector<std::vector<PipelineStep>> m_programs;
    std::vector<double> m_activation, m_gradient; ///< arrival times at [virtual stage][micro-batch]
    std::vector<Durations> m_durations;
    std::vector<Cursor> m_cursors;
};

/// When a stage has synchronised its gradients and run its optimizer.
inline double stepEnd(const PipelineWork& work, std::size_t stage, double lastPass)
{
    return lastPass + work.stages[stage].gradientSync.value() + work.stages[stage].optimizer.value();
}

/// When each stage has begun its first and ended its last pass.
struct StageSpan {
    double begin = 0, end = 0;
};

/// Seconds from one step to the next.
inline double stepSeconds(const PipelineWork& work, const std::vector<StageSpan>& spans)
{
    double step = 0;
    for (std::size_t i = 0; i < spans.size(); ++i)
        step = std::max(step, stepEnd(work, i, spans[i].end) - (staggersSteps(work.schedule) ? spans[i].begin : 0));
    return step;
}

template <class Recorder>
std::vector<StageSpan> run(const PipelineWork& work, Recorder& recorder)
{
    Engine engine(work, recorder);
    engine.run();
    std::vector<StageSpan> spans(work.stages.size());
    for (std::size_t i = 0; i < spans.size(); ++i)
        spans[i] = {engine.begin(i), engine.end(i)};
    return spans;
}

} // namespace stratoplan::pipeline_detail
