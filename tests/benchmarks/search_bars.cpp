// SPDX-License-Identifier: GPL-3.0-or-later
// What the exact search promises, measured on this machine: stratoplan-search-bars
#include "core/catalog/catalog.h"
#include "core/exchange/document.h"
#include "core/search/search.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stop_token>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <utility>
#include <vector>

using namespace stratoplan::catalog;
using namespace stratoplan::exchange;
using namespace stratoplan::plan;
using namespace stratoplan::search;

namespace {

Plan examplePlan(const char* name)
{
    const auto document = parseDocument(findExample(name)->text, shippedCatalog(), name);
    return document->project.plan;
}

SearchResult searched(
    const Plan& plan, const char* space, SearchOptions options = {}, const SearchProgressCallback& progress = {})
{
    return search(plan, *namedSpace(space, plan), options, {}, progress);
}

void tell(const std::string& what, double value, const char* unit, double bar, bool atLeast = false)
{
    const bool kept = atLeast ? value >= bar : value <= bar;
    std::printf("%-68s %12.4g %-14s bar %s %g %s\n", what.c_str(), value, unit, atLeast ? ">=" : "<=", bar,
        kept ? "kept" : "MISSED");
    std::fflush(stdout);
}

double megabytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024.0;
}

/// The default space of the everyday example, against pricing all of it.
void defaultSpaceBars(const Plan& plan)
{
    tell("default, GPT-3 175B on 1,024 A100: whole front, proven", searched(plan, "default").seconds, "s", 0.5);
    tell("  best, proven", searched(plan, "default", {.keep = FrontKind::Best}).seconds, "s", 0.5);
    const SearchResult simulated = searched(plan, "default", {.mode = SearchMode::Simulated, .keep = FrontKind::Best});
    tell("  best, every schedule simulated", simulated.seconds, "s", 10);
    // To price them all takes a programme for each strategy that divides layers in space and time.
    SearchSpace space = *namedSpace("default", plan);
    space.tensorPartitions = {stratoplan::parallel::TensorPartition::Megatron};
    const SearchResult fast = search(plan, space, {});
    const SearchResult whole = search(plan, space, {.exhaustive = true});
    tell("the same with Megatron's partition alone: strategies", double(fast.space), "strategies", 1e6, true);
    tell("  whole front, proven", fast.seconds, "s", 0.5);
    tell("  fronts differ from exhaustive by", fast.front == whole.front && fast.best == whole.best ? 0 : 1, "", 0);
    tell("  exhaustive over priced strategies, whole front", double(whole.evaluated) / double(fast.evaluated), "times",
        50, true);
    tell("  exhaustive rate", double(whole.evaluated) / whole.seconds / whole.threads, "/s/thread", 1e6, true);
}

void calculonBars(const Plan& plan)
{
    const SearchResult fast = searched(plan, "calculon");
    const SearchResult whole = searched(plan, "calculon", {.exhaustive = true});
    tell("calculon: configurations that its strategies stand for", double(calculonConfigurations(plan)),
        "configurations", 6985920, true);
    tell("  whole front, proven", fast.seconds, "s", 0.5);
    tell("  exhaustive", whole.seconds, "s", 10);
}

void wholeSpaceBars(const char* name)
{
    const Plan plan = examplePlan(name);
    std::vector<std::pair<double, double>> answers; // seconds, step
    const SearchResult best = searched(plan, "whole", {.keep = FrontKind::Best}, [&](const SearchProgress& progress) {
        if (progress.best && (answers.empty() || progress.best->step.value() < answers.back().second))
            answers.emplace_back(progress.seconds, progress.best->step.value());
    });
    tell(std::string("whole, ") + name + ": best, proven", best.seconds, "s", 1);
    const auto near = std::find_if(answers.begin(), answers.end(),
        [&](const auto& answer) { return best.best && answer.second <= 1.1 * best.best->step.value(); });
    tell("  an answer within 10 % of the best after", near == answers.end() ? best.seconds : near->first, "s", 0.05);
    tell("  priced whole", double(best.evaluated), "strategies", double(best.space) / 50);
    std::stop_source stop;
    const std::jthread timer([&](const std::stop_token& end) {
        for (int i = 0; i < 300 && !end.stop_requested(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        stop.request_stop();
    });
    const SearchResult simulated = search(
        plan, *namedSpace("whole", plan), {.mode = SearchMode::Simulated, .keep = FrontKind::Best}, stop.get_token());
    tell("  best, every schedule simulated", simulated.seconds, "s", 10);
    tell("    what is left to prove", simulated.gap, "of it", 0);
}

} // namespace

int main(int argc, char** argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    Plan plan = examplePlan("gpt3-175b-1024-a100");
    defaultSpaceBars(plan);
    plan.training.globalBatch = 1024; // as Calculon was run
    calculonBars(plan);
    tell("memory so far", megabytes(), "MB", 300);
    if (quick)
        return 0;
    wholeSpaceBars("llama3-405b-16384-h100");
    wholeSpaceBars("deepseek-v3-2048-h800");
    tell("memory", megabytes(), "MB", 300);
    return 0;
}
