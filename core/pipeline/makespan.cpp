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
    void weightGradient(int /*stage*/, const Pass& /*pass*/, double /*free*/, double /*start*/) { }
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
    void weightGradient(int stage, const Pass& /*pass*/, double /*free*/, double start) { m_steps[std::size_t(stage)].push_back({start, 0}); }
    void sendForward(int stage, const Pass& /*pass*/, double start) { m_steps[std::size_t(stage)].back().departs = start; }
    void sendBackward(int stage, const Pass& /*pass*/, double start) { m_steps[std::size_t(stage)].back().departs = start; }

    [[nodiscard]] const std::vector<Step>& steps(int stage) const { return m_steps[std::size_t(stage)]; }

private:
    std::vector<std::vector<Step>> m_steps;
};

/// Micro-batches after which the programs of all stages repeat.
int periodOf(const PipelineWork& work)
{
    return effectiveChunks(work.schedule, work.chunks) > 1 ? static_cast<int>(work.stages.size()) : 1;
}

/// The steps of a program between its warm-up and its cool-down, which repeat.
struct Repeating {
    std::ptrdiff_t begin = 0, end = 0;
};

Repeating repeatingSteps(const PipelineWork& work, int stage, std::ptrdiff_t steps)
{
    const int p = static_cast<int>(work.stages.size());
    const int v = effectiveChunks(work.schedule, work.chunks);
    const std::ptrdiff_t warmUp = warmUpPasses(work.schedule, p, v, work.microBatches, stage, work.lookahead);
    if (!splitsBackward(work.schedule))
        return {warmUp, steps - warmUp};
    // Until the limit is reached forward and backward passes go in turn, then with a weight gradient.
    const std::ptrdiff_t limit = zeroBubbleLimit(work.schedule, p, work.microBatches, work.lookahead);
    const std::ptrdiff_t begin = warmUp + 2 * (limit - warmUp);
    return {begin, begin + 3 * (work.microBatches - limit)};
}

/// Seconds that one more period takes, if the steps before the cool-down are those of the period before, each later by as much.
/// Start times are max-plus linear in earlier ones, and no step that follows waits for one further back than the window: what
/// has repeated that long repeats for good, and every step of the cool-down moves with it.
std::optional<double> steadyPeriod(const PipelineWork& work, const StepRecorder& recorder, double end)
{
    const int p = static_cast<int>(work.stages.size());
    const bool splits = splitsBackward(work.schedule);
    const std::ptrdiff_t period = std::ptrdiff_t{splits ? 3 : 2} * periodOf(work) * effectiveChunks(work.schedule, work.chunks);
    const bool deep = splits || work.schedule == Schedule::EagerOneFOneB; // twice as many micro-batches are under way
    const std::ptrdiff_t window = (deep ? 3 * (2 * p + 2) : 2 * (p + 2)) + 3 * work.lookahead;
    const double rounding = 1e-12 * end;
    double shift = -1;
    for (int stage = 0; stage < p; ++stage) {
        const std::vector<StepRecorder::Step>& steps = recorder.steps(stage);
        const Repeating repeating = repeatingSteps(work, stage, std::ptrdiff_t(steps.size()));
        if (repeating.end - window - period < repeating.begin)
            return std::nullopt;
        for (std::ptrdiff_t k = repeating.end - window; k < repeating.end; ++k) {
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

double wholeStep(const PipelineWork& work)
{
    NoRecorder recorder;
    return stepSeconds(work, run(work, recorder));
}

} // namespace

std::optional<Seconds> steadyMakespan(const PipelineWork& work, double passes)
{
    const int p = static_cast<int>(work.stages.size());
    if (work.schedule == Schedule::GPipe || work.schedule == Schedule::BreadthFirst || p < 2)
        return std::nullopt;
    const int period = periodOf(work);
    const int v = effectiveChunks(work.schedule, work.chunks);
    PipelineWork shorter = work;
    // The shortest that holds warm-up, cool-down and the window; twice as long each time it has not settled.
    for (int m = 4 * (p + work.lookahead); m <= work.microBatches / 3 && double(m) * p * v <= passes; m *= 2) {
        shorter.microBatches = m + (work.microBatches - m) % period;
        StepRecorder recorder(work.stages.size());
        recorder.reserve(std::size_t(3) * std::size_t(shorter.microBatches) * std::size_t(v));
        std::vector<StageSpan> spans = run(shorter, recorder);
        if (const auto seconds = steadyPeriod(shorter, recorder, stepSeconds(shorter, spans))) {
            for (StageSpan& span : spans)
                span.end += *seconds * ((work.microBatches - shorter.microBatches) / period);
            return Seconds(stepSeconds(work, spans));
        }
    }
    return std::nullopt;
}

Seconds simulateMakespan(const PipelineWork& work)
{
    const auto steady = steadyMakespan(work);
    return steady ? *steady : Seconds(wholeStep(work));
}

} // namespace stratoplan
