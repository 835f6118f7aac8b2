// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/engine.h"

namespace stratoplan {

using namespace pipeline_detail;

namespace {

constexpr std::size_t kSlicesPerPass = 5; ///< forward, recomputation, backward, a transfer each way
constexpr std::size_t kSlicesPerSplitPass = 6; ///< and the weight gradient

std::size_t slicesPerPass(Schedule schedule)
{
    return splitsBackward(schedule) ? kSlicesPerSplitPass : kSlicesPerPass;
}

/// Keeps everything for the drawing, stage by stage.
class TimelineRecorder {
public:
    explicit TimelineRecorder(const PipelineWork& work)
        : m_work(work)
        , m_chunks(effectiveChunks(work.schedule, work.chunks))
        , m_splits(splitsBackward(work.schedule))
    {
        m_rows.resize(work.stages.size());
        const auto passes = static_cast<std::size_t>(work.microBatches) * static_cast<std::size_t>(m_chunks);
        for (Row& row : m_rows)
            row.slices.reserve(slicesPerPass(work.schedule) * passes + 2);
    }

    void forward(int stage, const Pass& pass, double free, double start)
    {
        Row& row = m_rows[static_cast<std::size_t>(stage)];
        // A stage that has run nothing is warming up, whatever it waits for.
        if (row.peakInFlight > 0)
            wait(row, stage, free, start, Wait::Cause::Activation);
        else if (!staggersSteps(m_work.schedule))
            wait(row, stage, free, start, Wait::Cause::WarmUp);
        add(row, stage, SliceKind::Forward, pass, start, stageWork(stage).forward.value() / m_chunks);
        row.peakInFlight = std::max(row.peakInFlight, ++row.inFlight);
    }

    void backward(int stage, const Pass& pass, double free, double start)
    {
        Row& row = m_rows[static_cast<std::size_t>(stage)];
        wait(row, stage, free, start, Wait::Cause::Gradient);
        const double whole = (stageWork(stage).backward.value() - weightGradient(stage)) / m_chunks;
        const double recompute = std::min(stageWork(stage).recompute.value() / m_chunks, whole);
        add(row, stage, SliceKind::Recompute, pass, start, recompute);
        add(row, stage, SliceKind::Backward, pass, start + recompute, whole - recompute);
        row.inFlight -= !m_splits;
    }

    void weightGradient(int stage, const Pass& pass, double /*free*/, double start)
    {
        Row& row = m_rows[static_cast<std::size_t>(stage)];
        add(row, stage, SliceKind::WeightGradient, pass, start, weightGradient(stage));
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

    Timeline finish(const std::vector<StageSpan>& spans)
    {
        Timeline timeline;
        timeline.stages = static_cast<int>(m_rows.size());
        timeline.microBatches = m_work.microBatches;
        timeline.chunks = m_chunks;
        timeline.step = Seconds(stepSeconds(m_work, spans));
        double makespan = 0;
        std::size_t slices = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            makespan = std::max(makespan, stepEnd(m_work, i, spans[i].end));
            slices += m_rows[i].slices.size() + 2;
        }
        timeline.makespan = Seconds(makespan);
        timeline.slices.reserve(slices);
        double idle = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            // A stage waits for the others until the step is over: its own, where stages go on one by one.
            const double over = timeline.step.value() + (staggersSteps(m_work.schedule) ? spans[i].begin : 0);
            closeRow(static_cast<int>(i), spans[i].end, over);
            appendRow(timeline, i);
            idle += timeline.idle.back().value();
        }
        const double all = timeline.step.value() * static_cast<double>(m_rows.size());
        timeline.bubbleFraction = all > 0 ? idle / all : 0;
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

    void closeRow(int stage, double lastPass, double over)
    {
        Row& row = m_rows[static_cast<std::size_t>(stage)];
        const StageWork& w = stageWork(stage);
        const Pass whole{0, -1, 0};
        add(row, stage, SliceKind::GradientSync, whole, lastPass, w.gradientSync.value());
        add(row, stage, SliceKind::Optimizer, whole, lastPass + w.gradientSync.value(), w.optimizer.value());
        const double end = stepEnd(m_work, static_cast<std::size_t>(stage), lastPass);
        wait(row, stage, end, over, Wait::Cause::CoolDown);
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
        // A stage without a wait has summed its work one way and the step another: rounding is not idleness.
        timeline.idle.push_back(std::max(timeline.step - timeline.busy.back(), Seconds(0)));
        timeline.peakInFlight.push_back((row.peakInFlight + m_chunks - 1) / m_chunks);
    }

    [[nodiscard]] double weightGradient(int stage) const
    {
        return m_splits ? std::min(stageWork(stage).weightGradient, stageWork(stage).backward).value() : 0;
    }

    const PipelineWork& m_work;
    int m_chunks;
    bool m_splits;
    std::vector<Row> m_rows;
};

} // namespace

Timeline simulate(const PipelineWork& work)
{
    TimelineRecorder recorder(work);
    const std::vector<StageSpan> spans = run(work, recorder);
    return recorder.finish(spans);
}

double timelineSlices(const PipelineWork& work)
{
    return double(work.stages.size()) * (double(slicesPerPass(work.schedule)) * work.microBatches * effectiveChunks(work.schedule, work.chunks) + 2);
}

} // namespace stratoplan
