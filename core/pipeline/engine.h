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
    double forward = 0, backward = 0, sendForward = 0, sendBackward = 0;
};

/// Where a stage stands in its program.
struct Cursor {
    std::size_t step = 0;
    std::size_t warmUp = 0;
    double free = 0; ///< end of the last pass
    double linkForward = 0; ///< end of the last transfer to the next stage
    double linkBackward = 0; ///< end of the last transfer to the previous stage
};

/// Runs every stage's program. `Recorder` is told of each pass and transfer as it starts: forward and backward with
/// (stage, pass, when the stage was free, start), sendForward and sendBackward with (stage, pass, start).
template <class Recorder>
class Engine {
public:
    Engine(const PipelineWork& work, Recorder& recorder)
        : m_recorder(recorder)
        , m_stages(work.stages.size())
        , m_microBatches(static_cast<std::size_t>(work.microBatches))
    {
        assert(!work.stages.empty() && work.microBatches >= 1 && canSimulate(work.schedule));
        const int p = static_cast<int>(m_stages);
        const int v = effectiveChunks(work.schedule, work.chunks);
        const std::size_t cells = m_stages * m_microBatches * static_cast<std::size_t>(v);
        m_passes = m_microBatches * static_cast<std::size_t>(v);
        tabulate(m_forward, chunkPasses(false, p, v, work.microBatches));
        tabulate(m_backward, chunkPasses(true, p, v, work.microBatches));
        m_activation.assign(cells, kNotYet);
        m_gradient.assign(cells, kNotYet);
        std::fill_n(m_activation.begin(), m_microBatches, 0.0);
        std::fill_n(m_gradient.end() - static_cast<std::ptrdiff_t>(m_microBatches), m_microBatches, 0.0);
        m_durations.reserve(m_stages);
        m_cursors.resize(m_stages);
        for (int i = 0; i < p; ++i) {
            const StageWork& w = work.stages[static_cast<std::size_t>(i)];
            m_durations.push_back({w.forward.value() / v, w.backward.value() / v, w.sendForward.value(), w.sendBackward.value()});
            m_cursors[static_cast<std::size_t>(i)].warmUp =
                static_cast<std::size_t>(warmUpPasses(work.schedule, p, v, work.microBatches, i));
        }
    }

    void run()
    {
        std::size_t left = 2 * m_passes * m_stages;
        while (left > 0) {
            [[maybe_unused]] const std::size_t before = left;
            for (std::size_t i = 0; i < m_stages; ++i)
                left -= advance(i);
            for (std::size_t i = m_stages; i-- > 0;)
                left -= advance(i);
            assert(left < before);
        }
    }

    /// When stage i has ended its last backward pass.
    [[nodiscard]] double end(std::size_t i) const { return m_cursors[i].free; }

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

    bool runForward(std::size_t i, const Pass& pass)
    {
        const std::size_t cell = pass.cell + i * m_microBatches;
        const double arrived = m_activation[cell];
        if (arrived == kNotYet)
            return false;
        Cursor& at = m_cursors[i];
        const double start = std::max(at.free, arrived);
        m_recorder.forward(static_cast<int>(i), pass, at.free, start);
        at.free = start + m_durations[i].forward;
        const std::size_t consumer = cell + m_microBatches; // virtual stages follow one another in the table
        if (consumer < m_activation.size()) {
            const double departs = std::max(at.free, at.linkForward);
            at.linkForward = departs + m_durations[i].sendForward;
            m_activation[consumer] = at.linkForward;
            m_recorder.sendForward(static_cast<int>(i), pass, departs);
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

    Recorder& m_recorder;
    std::size_t m_stages;
    std::size_t m_microBatches;
    std::size_t m_passes = 0; ///< forward passes of one stage: m v
    std::vector<Pass> m_forward, m_backward;
    std::vector<double> m_activation, m_gradient; ///< arrival times at [virtual stage][micro-batch]
    std::vector<Durations> m_durations;
    std::vector<Cursor> m_cursors;
};

/// When a stage has synchronised its gradients and run its optimizer.
inline double stepEnd(const PipelineWork& work, std::size_t stage, double lastBackward)
{
    return lastBackward + work.stages[stage].gradientSync.value() + work.stages[stage].optimizer.value();
}

} // namespace stratoplan::pipeline_detail
