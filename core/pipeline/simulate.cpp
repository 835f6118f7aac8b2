// SPDX-License-Identifier: Apache-2.0
// The event graph needs no priority queue: every stage runs its program in order and every link carries its
// transfers in order, so a pass starts at max(its stage is free, its input has arrived), whichever order the stages
// are visited in. Stages are swept down and up until all programs have ended; each sweep moves what it can.
#include "core/pipeline/pipeline.h"
#include "core/pipeline/program.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace stratoplan {

namespace {

constexpr double kNotYet = -1;
constexpr std::size_t kSlicesPerPass = 5; ///< forward, recomputation, backward, a transfer each way

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

/// Listens to nothing: only the end times are wanted.
struct NoRecorder {
    void forward(int /*stage*/, const Pass& /*pass*/, double /*free*/, double /*start*/) { }
    void backward(int /*stage*/, const Pass& /*pass*/, double /*free*/, double /*start*/) { }
    void sendForward(int /*stage*/, const Pass& /*pass*/, double /*start*/) { }
    void sendBackward(int /*stage*/, const Pass& /*pass*/, double /*start*/) { }
};

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

double stepEnd(const PipelineWork& work, std::size_t stage, double lastBackward)
{
    return lastBackward + work.stages[stage].gradientSync.value() + work.stages[stage].optimizer.value();
}

/// Keeps everything for the drawing, stage by stage.
class TimelineRecorder {
public:
    explicit TimelineRecorder(const PipelineWork& work)
        : m_work(work)
        , m_chunks(effectiveChunks(work.schedule, work.chunks))
    {
        m_rows.resize(work.stages.size());
        const auto passes = static_cast<std::size_t>(work.microBatches) * static_cast<std::size_t>(m_chunks);
        for (Row& row : m_rows)
            row.slices.reserve(kSlicesPerPass * passes + 2);
    }

    void forward(int stage, const Pass& pass, double free, double start)
    {
        Row& row = m_rows[static_cast<std::size_t>(stage)];
        // A stage that has run nothing is warming up, whatever it waits for.
        wait(row, stage, free, start, row.peakInFlight == 0 ? Wait::Cause::WarmUp : Wait::Cause::Activation);
        add(row, stage, SliceKind::Forward, pass, start, stageWork(stage).forward.value() / m_chunks);
        row.peakInFlight = std::max(row.peakInFlight, ++row.inFlight);
    }

    void backward(int stage, const Pass& pass, double free, double start)
    {
        Row& row = m_rows[static_cast<std::size_t>(stage)];
        wait(row, stage, free, start, Wait::Cause::Gradient);
        const double recompute = std::min(stageWork(stage).recompute.value(), stageWork(stage).backward.value()) / m_chunks;
        add(row, stage, SliceKind::Recompute, pass, start, recompute);
        add(row, stage, SliceKind::Backward, pass, start + recompute, stageWork(stage).backward.value() / m_chunks - recompute);
        --row.inFlight;
    }

    void sendForward(int stage, const Pass& pass, double start)
    {
        add(m_rows[static_cast<std::size_t>(stage)], stage, SliceKind::SendForward, pass, start, stageWork(stage).sendForward.value());
    }

    void sendBackward(int stage, const Pass& pass, double start)
    {
        add(m_rows[static_cast<std::size_t>(stage)], stage, SliceKind::SendBackward, pass, start, stageWork(stage).sendBackward.value());
    }

    /// `lastBackward` holds the end of every stage's last backward pass.
    Timeline finish(const std::vector<double>& lastBackward)
    {
        Timeline timeline;
        timeline.stages = static_cast<int>(m_rows.size());
        timeline.microBatches = m_work.microBatches;
        timeline.chunks = m_chunks;
        double makespan = 0;
        std::size_t slices = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            makespan = std::max(makespan, stepEnd(m_work, i, lastBackward[i]));
            slices += m_rows[i].slices.size() + 2;
        }
        timeline.makespan = Seconds(makespan);
        timeline.slices.reserve(slices);
        double idle = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            closeRow(static_cast<int>(i), lastBackward[i], makespan);
            appendRow(timeline, i);
            idle += timeline.idle.back().value();
        }
        timeline.bubbleFraction = makespan > 0 ? idle / (makespan * static_cast<double>(m_rows.size())) : 0;
        return timeline;
    }

private:
    struct Row {
        std::vector<Slice> slices;
        std::vector<Wait> waits;
        double busy = 0;
        int inFlight = 0;
        int peakInFlight = 0;
    };

    [[nodiscard]] const StageWork& stageWork(int stage) const { return m_work.stages[static_cast<std::size_t>(stage)]; }

    static void wait(Row& row, int stage, double from, double to, Wait::Cause cause)
    {
        if (to > from)
            row.waits.push_back({stage, Seconds(from), Seconds(to - from), cause});
    }

    static void add(Row& row, int stage, SliceKind kind, const Pass& pass, double start, double duration)
    {
        if (duration > 0)
            row.slices.push_back({static_cast<float>(start), static_cast<float>(duration), pass.microBatch, stage, pass.chunk, kind});
    }

    void closeRow(int stage, double lastBackward, double makespan)
    {
        Row& row = m_rows[static_cast<std::size_t>(stage)];
        const StageWork& w = stageWork(stage);
        const Pass whole{0, -1, 0};
        add(row, stage, SliceKind::GradientSync, whole, lastBackward, w.gradientSync.value());
        add(row, stage, SliceKind::Optimizer, whole, lastBackward + w.gradientSync.value(), w.optimizer.value());
        const double end = stepEnd(m_work, static_cast<std::size_t>(stage), lastBackward);
        wait(row, stage, end, makespan, Wait::Cause::CoolDown);
        row.busy = m_work.microBatches * (w.forward.value() + w.backward.value()) + w.gradientSync.value() + w.optimizer.value();
        const auto earlier = [](const Slice& a, const Slice& b) { return a.start < b.start; };
        // Transfers queued on a slow link start after later passes of the stage.
        if (!std::is_sorted(row.slices.begin(), row.slices.end(), earlier))
            std::stable_sort(row.slices.begin(), row.slices.end(), earlier);
    }

    void appendRow(Timeline& timeline, std::size_t i) const
    {
        const Row& row = m_rows[i];
        timeline.slices.insert(timeline.slices.end(), row.slices.begin(), row.slices.end());
        timeline.waits.insert(timeline.waits.end(), row.waits.begin(), row.waits.end());
        timeline.busy.emplace_back(row.busy);
        // A stage without a wait has summed its work one way and the makespan another: rounding is not idleness.
        timeline.idle.push_back(std::max(timeline.makespan - timeline.busy.back(), Seconds(0)));
        timeline.peakInFlight.push_back((row.peakInFlight + m_chunks - 1) / m_chunks);
    }

    const PipelineWork& m_work;
    int m_chunks;
    std::vector<Row> m_rows;
};

} // namespace

Timeline simulate(const PipelineWork& work)
{
    TimelineRecorder recorder(work);
    Engine engine(work, recorder);
    engine.run();
    std::vector<double> lastBackward(work.stages.size());
    for (std::size_t i = 0; i < lastBackward.size(); ++i)
        lastBackward[i] = engine.end(i);
    return recorder.finish(lastBackward);
}

double timelineSlices(const PipelineWork& work)
{
    return double(work.stages.size()) * (double(kSlicesPerPass) * work.microBatches * effectiveChunks(work.schedule, work.chunks) + 2);
}

Seconds simulateMakespan(const PipelineWork& work)
{
    NoRecorder recorder;
    Engine engine(work, recorder);
    engine.run();
    double makespan = 0;
    for (std::size_t i = 0; i < work.stages.size(); ++i)
        makespan = std::max(makespan, stepEnd(work, i, engine.end(i)));
    return Seconds(makespan);
}

} // namespace stratoplan
