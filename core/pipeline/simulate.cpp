// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/engine.h"

namespace stratoplan {

using namespace pipeline_detail;

namespace {

constexpr std::size_t kSlicesPerPass = 5; ///< forward, recomputation, backward, a transfer each way

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

} // namespace stratoplan
