// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/megatron_runs.h"

#include "core/calibration/megatron_arguments.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace stratoplan::calibration {

namespace {

/// Starts of the same configuration, taken together.
struct Configuration {
    ArgumentPlan arguments;
    std::vector<LogStep> steps;
    std::vector<LogMemory> memory;
};

/// A logged line with what decides whether it is warm.
struct BatchStep {
    const LogStep* step = nullptr;
    std::int64_t sinceStart = 0; ///< iterations since the start that the line ends at
    std::int64_t covers = 1; ///< iterations whose mean it is
    bool mixed = false; ///< some of them ran at another global batch
};

struct Median {
    double seconds = 0;
    std::int64_t iterations = 0;
    std::size_t lines = 0;
    double spread = 0; ///< of the middle 80 % of the lines, relative to the median
};

Median medianOf(const std::vector<BatchStep>& used)
{
    std::vector<double> seconds;
    Median median;
    for (const BatchStep& batchStep : used) {
        seconds.push_back(batchStep.step->seconds);
        median.iterations += batchStep.covers;
    }
    std::sort(seconds.begin(), seconds.end());
    const std::size_t middle = seconds.size() / 2;
    median.lines = seconds.size();
    median.seconds = seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
    const double last = double(seconds.size() - 1);
    median.spread =
        (seconds[std::size_t(std::ceil(0.9 * last))] - seconds[std::size_t(std::floor(0.1 * last))]) / median.seconds;
    return median;
}

/// The lines of each global batch, in order; the plan's where neither the line nor its samples say one.
std::map<int, std::vector<BatchStep>> byBatch(const std::vector<LogStep>& steps, int planned, bool& filled)
{
    std::map<int, std::vector<BatchStep>> groups;
    std::int64_t start = 0;
    int before = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const LogStep& step = steps[i];
        const LogStep* const previous = i > 0 && !step.firstOfStart ? &steps[i - 1] : nullptr;
        BatchStep batchStep{&step, 0, previous ? step.iteration - previous->iteration : 1, false};
        if (!previous) // how many iterations the first line covers, the next one tells
            start = step.iteration
                - (i + 1 < steps.size() && !steps[i + 1].firstOfStart
                        ? std::min(step.iteration, steps[i + 1].iteration - step.iteration)
                        : 1);
        batchStep.sinceStart = step.iteration - start;
        std::optional<int> batch = step.globalBatch;
        if (!batch && previous && step.consumedSamples && previous->consumedSamples && batchStep.covers > 0)
            batch = static_cast<int>(
                std::lround((*step.consumedSamples - *previous->consumedSamples) / double(batchStep.covers)));
        filled |= !batch || *batch < 1;
        const int size = batch && *batch >= 1 ? *batch : planned;
        batchStep.mixed = previous && size != before && batchStep.covers > 1;
        before = size;
        groups[size].push_back(batchStep);
    }
    return groups;
}

/// The lines to measure by: warmed up, of one batch, nothing skipped; where a log is too short for that, the least
/// warm.
std::vector<BatchStep> usable(const std::vector<BatchStep>& all)
{
    const auto kept = [&](auto&& accept) {
        std::vector<BatchStep> result;
        std::copy_if(all.begin(), all.end(), std::back_inserter(result), accept);
        return result;
    };
    const auto sound = [](const BatchStep& batchStep) {
        return !batchStep.step->bad && !batchStep.mixed && batchStep.step->iteration > 1;
    };
    std::vector<BatchStep> used = kept([&](const BatchStep& batchStep) {
        return sound(batchStep) && !batchStep.step->firstOfStart
            && batchStep.sinceStart - batchStep.covers + 1 > kWarmUpIterations;
    });
    if (used.empty())
        used = kept([&](const BatchStep& batchStep) { return sound(batchStep) && !batchStep.step->firstOfStart; });
    if (used.empty())
        used = kept(sound);
    return used;
}

std::string linesText(const std::vector<BatchStep>& steps)
{
    const int first = steps.front().step->line, last = steps.back().step->line;
    return first == last ? "line " + std::to_string(first)
                         : "lines " + std::to_string(first) + " to " + std::to_string(last);
}

class RunMaker {
public:
    RunMaker(const RunContext& context, RunTable& table)
        : m_context(context)
        , m_table(table)
    {
    }

    void add(const Configuration& configuration, bool several)
    {
        bool filled = false;
        const auto groups = byBatch(configuration.steps, configuration.arguments.plan.training.globalBatch, filled);
        // A peak is that of the largest batch: ramping up, smaller ones keep no more micro-batches alive, nor fewer.
        for (const auto& [batch, steps] : groups) {
            MeasuredRun run;
            run.plan = configuration.arguments.plan;
            run.plan.training.globalBatch = batch;
            run.id = std::filesystem::path(m_context.file).filename().string()
                + (several ? ", line " + std::to_string(steps.front().step->line) : std::string())
                + (groups.size() > 1 ? ", global batch " + groupedDigits(batch) : std::string());
            run.place = linesText(steps);
            run.order = steps.front().step->line;
            run.stated = configuration.arguments.stated;
            run.filled = configuration.arguments.filled;
            run.remarks = configuration.arguments.remarks;
            (filled ? run.filled : run.stated).push_back("global_batch=" + std::to_string(batch));
            const bool last = batch == groups.rbegin()->first;
            measure(steps, last ? configuration.memory : std::vector<LogMemory>(), std::move(run));
        }
    }

private:
    void measure(const std::vector<BatchStep>& all, const std::vector<LogMemory>& memory, MeasuredRun run)
    {
        const std::vector<BatchStep> used = usable(all);
        if (used.empty()) {
            const LogStep& first = *all.front().step;
            const bool warmUp = first.iteration <= 1 && all.size() == 1;
            reject(run,
                RunFault{
                    .code = warmUp ? RunFaultCode::WarmUpOnly : RunFaultCode::SkippedOnly, .place = linesText(all)});
            return;
        }
        const Median median = medianOf(used);
        run.stepSeconds = median.seconds;
        run.remarks.emplace_back(
            IterationsUsed{median.iterations, median.lines, all.size(), median.seconds, median.spread});
        if (used.front().step->firstOfStart)
            run.remarks.emplace_back(FirstLineStandsIn{});
        takeMemory(memory, run);
        if (auto problem = whyNotEstimable(run.plan))
            reject(run, NotEstimable{run.place, std::move(*problem)});
        else
            finish(used, std::move(run));
    }

    /// The largest report; where some tell what was reserved, only those.
    static void takeMemory(const std::vector<LogMemory>& memory, MeasuredRun& run)
    {
        const bool reserved =
            std::any_of(memory.begin(), memory.end(), [](const LogMemory& reading) { return reading.reserved; });
        for (const LogMemory& reading : memory)
            if (reading.reserved == reserved)
                run.peakGib = std::max(run.peakGib.value_or(0), reading.peak);
        if (!run.peakGib)
            return;
        run.allocatorPeak = true;
        run.remarks.emplace_back(AllocatorPeak{reserved});
    }

    /// A log that counts quite another rate than the plan's model would have is of another model or machine.
    void finish(const std::vector<BatchStep>& used, MeasuredRun run)
    {
        const double ranks = rankCount(run.plan.strategy);
        const double rate =
            modelFlops(run.plan.model, run.plan.training.sequenceLength, run.plan.training.globalBatch).value()
            / (*run.stepSeconds * ranks) / 1e12;
        const auto logged = used[used.size() / 2].step->teraflops;
        constexpr double kFar = 1.6; // counting recomputation makes 4/3, counting half the scores a little less than 1
        if (logged && *logged > 0 && (rate / *logged > kFar || *logged / rate > kFar))
            run.doubts.push_back({*logged, rate});
        m_table.runs.push_back(std::move(run));
    }

    void reject(const MeasuredRun& run, WhyFaulty reason)
    {
        m_table.faulty.push_back({run.id, std::move(reason), run.order});
    }

    const RunContext& m_context;
    RunTable& m_table;
};

/// Restarts of one configuration follow one another in a log.
std::vector<Configuration> configurationsOf(MegatronLog& log, const RunContext& context, std::vector<RunFault>& faults)
{
    std::vector<Configuration> result;
    for (LogSection& section : log.sections) {
        if (section.steps.empty() && section.memory.empty() && log.sections.size() > 1)
            continue; // a start that came to nothing
        ArgumentPlan arguments = planOfArguments(section.arguments, *context.plan);
        faults.insert(faults.end(), arguments.faults.begin(), arguments.faults.end());
        auto same = std::find_if(
            result.begin(), result.end(), [&](const Configuration& c) { return c.arguments.plan == arguments.plan; });
        if (same == result.end())
            same = result.insert(result.end(), Configuration{std::move(arguments), {}, {}});
        Configuration& target = *same;
        target.steps.insert(target.steps.end(), section.steps.begin(), section.steps.end());
        target.memory.insert(target.memory.end(), section.memory.begin(), section.memory.end());
    }
    return result;
}

} // namespace

tl::expected<RunTable, UnusableText> readMegatronRuns(std::string_view text, const RunContext& context)
{
    MegatronLog log = parseMegatronLog(text);
    RunTable table;
    table.faulty = std::move(log.faulty);
    UnusableText unusable{context.file, context.planName};
    const std::vector<Configuration> configurations = configurationsOf(log, context, unusable.faults);
    if (!unusable.faults.empty())
        return tl::unexpected(std::move(unusable));
    const auto timed = [](const Configuration& c) { return !c.steps.empty(); };
    if (std::none_of(configurations.begin(), configurations.end(), timed) && table.faulty.empty()) {
        unusable.faults = {{.code = RunFaultCode::NoIterations}};
        return tl::unexpected(std::move(unusable));
    }
    RunMaker maker(context, table);
    for (const Configuration& configuration : configurations)
        maker.add(configuration, configurations.size() > 1);
    return table;
}

} // namespace stratoplan::calibration
