// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/engine.h"

#include <cmath>
#include <optional>

namespace stratoplan {

using namespace pipeline_detail;

namespace {

/// Listens to nothing: only the end times are wanted.
struct NoRecorder {
    void forward(int /*stage*/, const Pass& /*pass*/, double /*free*/, double /*start*/) { }
    void backward(int /*stage*/, const Pass& /*pass*/, double /*free*/, double /*start*/) { }
    void sendForward(int /*stage*/, const Pass& /*pass*/, double /*start*/) { }
    void sendBackward(int /*stage*/, const Pass& /*pass*/, double /*start*/) { }
};

/// Keeps when each step of each stage starts, and its transfer.
class StepRecorder {
public:
    struct Step {
        double start = 0;
        double departs = 0; ///< 0 where nothing is sent
    };

    explicit StepRecorder(std::size_t stages)
        : m_steps(stages)
    {
    }

    void reserve(std::size_t steps)
    {
        for (std::vector<Step>& stage : m_steps)
            stage.reserve(steps);
    }
    void forward(int stage, const Pass& /*pass*/, double /*free*/, double start) { m_steps[std::size_t(stage)].push_back({start, 0}); }
    void backward(int stage, const Pass& /*pass*/, double /*free*/, double start) { m_steps[std::size_t(stage)].push_back({start, 0}); }
    void sendForward(int stage, const Pass& /*pass*/, double start) { m_steps[std::size_t(stage)].back().departs = start; }
    void sendBackward(int stage, const Pass& /*pass*/, double start) { m_steps[std::size_t(stage)].back().departs = start; }

    [[nodiscard]] const std::vector<Step>& steps(int stage) const { return m_steps[std::size_t(stage)]; }

private:
    std::vector<std::vector<Step>> m_steps;
};

double latestEnd(const PipelineWork& work, const std::vector<double>& lastBackward)
{
    double makespan = 0;
    for (std::size_t i = 0; i < work.stages.size(); ++i)
        makespan = std::max(makespan, stepEnd(work, i, lastBackward[i]));
    return makespan;
}

template <class Recorder>
std::vector<double> lastBackwards(const PipelineWork& work, Recorder& recorder)
{
    Engine engine(work, recorder);
    engine.run();
    std::vector<double> ends(work.stages.size());
    for (std::size_t i = 0; i < ends.size(); ++i)
        ends[i] = engine.end(i);
    return ends;
}

/// Micro-batches after which the programs of all stages repeat.
int periodOf(const PipelineWork& work)
{
    return effectiveChunks(work.schedule, work.chunks) > 1 ? static_cast<int>(work.stages.size()) : 1;
}

/// Seconds that one more period takes, if the steps before the cool-down are those of the period before, each later by as much.
/// Start times are max-plus linear in earlier ones, and no step that follows waits for one further back than p + 2 passes: what
/// has repeated that long repeats for good, and every step of the cool-down moves with it.
std::optional<double> steadyPeriod(const PipelineWork& work, const StepRecorder& recorder, double end)
{
    const int p = static_cast<int>(work.stages.size());
    const int v = effectiveChunks(work.schedule, work.chunks);
    const std::ptrdiff_t period = std::ptrdiff_t{2} * periodOf(work) * v;
    const std::ptrdiff_t window = 2 * (p + 2);
    const double rounding = 1e-12 * end;
    double shift = -1;
    for (int stage = 0; stage < p; ++stage) {
        const std::vector<StepRecorder::Step>& steps = recorder.steps(stage);
        const std::ptrdiff_t warmUp = warmUpPasses(work.schedule, p, v, work.microBatches, stage);
        const std::ptrdiff_t cut = std::ptrdiff_t(steps.size()) - warmUp;
        if (cut - window - period < warmUp)
            return std::nullopt;
        for (std::ptrdiff_t k = cut - window; k < cut; ++k) {
            const StepRecorder::Step& now = steps[std::size_t(k)];
            const StepRecorder::Step& before = steps[std::size_t(k - period)];
            if (shift < 0)
                shift = now.start - before.start;
            const bool sent = now.departs > 0;
            if (std::abs(now.start - before.start - shift) > rounding
                || (sent && std::abs(now.departs - before.departs - shift) > rounding))
                return std::nullopt;
        }
    }
    return shift;
}

double wholeMakespan(const PipelineWork& work)
{
    NoRecorder recorder;
    return latestEnd(work, lastBackwards(work, recorder));
}

} // namespace

std::optional<Seconds> steadyMakespan(const PipelineWork& work, double passes)
{
    const int p = static_cast<int>(work.stages.size());
    if (work.schedule == Schedule::GPipe || p < 2)
        return std::nullopt;
    const int period = periodOf(work);
    const int v = effectiveChunks(work.schedule, work.chunks);
    PipelineWork shorter = work;
    // The shortest that holds warm-up, cool-down and the window; twice as long each time it has not settled.
    for (int m = 4 * p; m <= work.microBatches / 3 && double(m) * p * v <= passes; m *= 2) {
        shorter.microBatches = m + (work.microBatches - m) % period;
        StepRecorder recorder(work.stages.size());
        recorder.reserve(std::size_t(2) * std::size_t(shorter.microBatches) * std::size_t(v));
        std::vector<double> ends = lastBackwards(shorter, recorder);
        if (const auto seconds = steadyPeriod(shorter, recorder, latestEnd(shorter, ends))) {
            for (double& one : ends)
                one += *seconds * ((work.microBatches - shorter.microBatches) / period);
            return Seconds(latestEnd(work, ends));
        }
    }
    return std::nullopt;
}

Seconds simulateMakespan(const PipelineWork& work)
{
    const auto steady = steadyMakespan(work);
    return steady ? *steady : Seconds(wholeMakespan(work));
}

} // namespace stratoplan
