// SPDX-License-Identifier: GPL-3.0-or-later
// Rates a person feels: estimates and pipeline simulations per second on one core, and the sample of a space behind the
// Pareto chart on the largest everyday example.
#include "core/catalog/catalog.h"
#include "core/cluster/network_shapes.h"
#include "core/estimate/estimate.h"
#include "core/estimate/range.h"
#include "core/exchange/document.h"
#include "core/pipeline/pipeline.h"
#include "core/pricing/pricing_context.h"
#include "core/search/sample.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace stratoplan::catalog;
using namespace stratoplan::estimate;
using namespace stratoplan::exchange;
using namespace stratoplan::parallel;
using namespace stratoplan::pipeline;
using namespace stratoplan::plan;
using namespace stratoplan::pricing;
using namespace stratoplan::search;
using namespace stratoplan::units;

namespace {

Plan examplePlan(const std::string& name)
{
    const Example* example = findExample(name);
    if (!example)
        return {};
    const auto document = parseDocument(example->text, shippedCatalog(), name);
    return document ? document->project.plan : Plan{};
}

PipelineWork heterogeneousPipeline(Schedule schedule, int p, int v, int m)
{
    PipelineWork work{schedule, m, v, {}};
    for (int i = 0; i < p; ++i) {
        StageWork stage;
        stage.forward = Seconds(0.010 + 0.0003 * (i * 7 % 5));
        stage.backward = 2 * stage.forward;
        stage.sendForward = stage.sendBackward = Seconds(0.0004);
        stage.gradientSync = Seconds(0.02);
        stage.optimizer = Seconds(0.005);
        work.stages.push_back(stage);
    }
    return work;
}

void rate(benchmark::State& state, const char* what, double perIteration = 1)
{
    state.counters[what] = benchmark::Counter(perIteration, benchmark::Counter::kIsIterationInvariantRate);
}

void estimateExample(benchmark::State& state, const std::string& name)
{
    const Plan plan = examplePlan(name);
    if (!estimate(plan)) {
        state.SkipWithError("the example cannot be estimated");
        return;
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(estimate(plan));
    rate(state, "estimates/s");
}

/// All that a document of the largest cluster takes: read, drawn as `shape` says, checked, mapped and estimated with
/// its range; with the memory that the program has at most.
void scaleFromText(benchmark::State& state, std::optional<stratoplan::cluster::NetworkShape> shape)
{
    const Example* const example = findExample("scale-100k-h100");
    if (!example)
        return state.SkipWithError("no such example");
    int accelerators = 0;
    for (auto _ : state) {
        auto document = parseDocument(example->text, shippedCatalog(), "scale");
        Plan plan = document->project.plan;
        if (shape)
            plan.cluster = *wired(plan.cluster, *shape);
        accelerators = acceleratorCount(plan.cluster);
        if (hasErrors(check(plan)) || !estimate(plan))
            return state.SkipWithError("cannot be priced");
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    state.counters["accelerators"] = accelerators;
    state.counters["peak_mib"] = double(used.ru_maxrss) / 1024;
}

void rangeOfExample(benchmark::State& state, const std::string& name, const std::string& software)
{
    Plan plan = examplePlan(name);
    plan.training.software.id = software;
    const Evidence& evidence = shippedEvidence().times;
    if (!evidence.knows(software)) {
        state.SkipWithError("no measured cases");
        return;
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(evidence.range(rangeQuery(plan)));
        benchmark::DoNotOptimize(evidence.extrapolations(plan, shippedCatalog()));
    }
}

void simulateMakespanOnly(benchmark::State& state, Schedule schedule)
{
    const auto p = static_cast<int>(state.range(0));
    const auto m = static_cast<int>(state.range(1));
    const PipelineWork work = heterogeneousPipeline(schedule, p, schedule == Schedule::Interleaved ? 2 : 1, m);
    for (auto _ : state)
        benchmark::DoNotOptimize(simulateMakespan(work));
    rate(state, "simulations/s");
}

void simulateTimeline(benchmark::State& state, Schedule schedule)
{
    const auto p = static_cast<int>(state.range(0));
    const auto m = static_cast<int>(state.range(1));
    const PipelineWork work = heterogeneousPipeline(schedule, p, schedule == Schedule::Interleaved ? 2 : 1, m);
    for (auto _ : state)
        benchmark::DoNotOptimize(simulate(work));
    rate(state, "simulations/s");
}

void closedForm(benchmark::State& state)
{
    const PipelineWork work = heterogeneousPipeline(Schedule::OneFOneB, static_cast<int>(state.range(0)), 1, 32);
    for (auto _ : state)
        benchmark::DoNotOptimize(pipelineSeconds(work));
    rate(state, "closed forms/s");
}

/// Strategies of a space in the order in which a search comes upon them.
std::vector<Strategy> strategiesOf(const Plan& plan)
{
    SearchSpace space = calculonSpace();
    space.zeroStages = {0, 1, 2, 3};
    std::vector<FoundStrategy> found;
    sample(plan, space, {}, 40'000, {}, [&](std::span<const SampledStrategy> priced) {
        for (const SampledStrategy& one : priced)
            found.push_back({one.strategy, one.precision, 0, {}, {}});
    });
    std::sort(found.begin(), found.end(), comesBefore);
    std::vector<Strategy> strategies;
    for (const FoundStrategy& one : found)
        strategies.push_back(one.strategy);
    return strategies;
}

/// The leaf of a search.
void priceExample(benchmark::State& state, const std::string& name, PipelineTime time)
{
    const Plan plan = examplePlan(name);
    const std::vector<Strategy> space = strategiesOf(plan);
    if (space.empty()) {
        state.SkipWithError("nothing to price");
        return;
    }
    for (auto _ : state) {
        PricingContext pricing(plan, shippedCatalog());
        for (const Strategy& s : space)
            benchmark::DoNotOptimize(price(pricing, s, time));
    }
    state.counters["strategies"] = static_cast<double>(space.size());
    rate(state, "strategies/s", static_cast<double>(space.size()));
}

void sampleExample(benchmark::State& state, const std::string& name)
{
    const Plan plan = examplePlan(name);
    constexpr std::int64_t kStrategies = 6000;
    for (auto _ : state)
        sample(plan, defaultSpace(), {}, kStrategies, {},
            [](std::span<const SampledStrategy> priced) { benchmark::DoNotOptimize(priced.data()); });
    rate(state, "strategies/s", static_cast<double>(kStrategies));
}

} // namespace

BENCHMARK_CAPTURE(estimateExample, gpt3_175b, "gpt3-175b-1024-a100")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(estimateExample, llama3_405b, "llama3-405b-16384-h100")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(scaleFromText, as_shipped, std::nullopt)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(scaleFromText, rails_drawn, stratoplan::cluster::NetworkShape::RailOptimised)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(scaleFromText, fat_tree_drawn, stratoplan::cluster::NetworkShape::FatTree)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rangeOfExample, gpt3_175b, "gpt3-175b-1024-a100", "megatron-lm-2021")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(rangeOfExample, most_cases, "gpt3-175b-1024-a100", "megatron-deepspeed")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(priceExample, gpt3_175b_closed_form, "gpt3-175b-1024-a100", PipelineTime::ClosedForm)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(priceExample, gpt3_175b_simulated, "gpt3-175b-1024-a100", PipelineTime::Simulated)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(priceExample, llama3_405b_closed_form, "llama3-405b-16384-h100", PipelineTime::ClosedForm)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sampleExample, gpt3_175b, "gpt3-175b-1024-a100")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulateMakespanOnly, one_f_one_b, Schedule::OneFOneB)
    ->Args({8, 32})
    ->Args({16, 128})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(simulateMakespanOnly, interleaved, Schedule::Interleaved)
    ->Args({8, 32})
    ->Args({16, 128})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(simulateTimeline, one_f_one_b, Schedule::OneFOneB)
    ->Args({8, 32})
    ->Args({16, 128})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(simulateTimeline, interleaved, Schedule::Interleaved)
    ->Args({8, 32})
    ->Args({16, 128})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(closedForm)->Arg(8)->Arg(64)->Unit(benchmark::kNanosecond);
