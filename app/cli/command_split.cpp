// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/narration/estimates.h"
#include "core/parallel/route.h"
#include "core/split/stage_split.h"
#include "core/units/format.h"
#include "core/units/parse.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Answer {
    plan::Plan plan; ///< with the split, where there is one
    split::StageSplit split;
    estimate::Estimate before;
    std::optional<estimate::Estimate> after;
    double seconds = 0;
};

Json sideJson(const estimate::Estimate& e)
{
    return {{"step_s", e.step.value()}, {"peak_bytes", e.memory.peak.value()}, {"peak_stage", e.memory.peakStage},
        {"fits", e.fits}};
}

/// How much better than the answer any split could be.
double gap(const Answer& answer)
{
    const double above = answer.after ? answer.split.step / answer.split.bound - 1 : 0;
    return above > 1e-12 ? above : 0; // but for rounding, never below
}

Json answerJson(const Answer& answer)
{
    Json stages = Json::array();
    for (std::size_t i = 0; i < answer.split.stages.size(); ++i) {
        const split::SplitStage& stage = answer.split.stages[i];
        stages.push_back({{"stage", i}, {"layers", stage.layers}, {"chunk_layers", stage.chunks},
            {"recompute", std::string(key(stage.others))}, {"recomputed_layers", stage.recomputedLayers},
            {"tp", stage.tp}, {"dp", stage.dp}, {"micro_batch", stage.microBatch}, {"passes_s", stage.passes.value()},
            {"peak_bytes", stage.peak.value()}});
    }
    Json json{{"proven", answer.split.proven}, {"labels", answer.split.labels}, {"seconds", answer.seconds},
        {"capacity_bytes", answer.before.memory.capacity.value()}, {"before", sideJson(answer.before)}};
    if (answer.after) {
        json["after"] = sideJson(*answer.after);
        json["least_closed_form_s"] = answer.split.bound.value();
        json["gap"] = gap(answer);
        json["stages"] = std::move(stages);
        json["boundaries"] = exchange::toJson(answer.after->boundaries);
        json["strategy"] = exchange::toJson(*answer.split.strategy);
        json["problems"] = Json::array();
        for (const plan::Problem& problem : answer.after->problems)
            json["problems"].push_back(exchange::toJson(problem));
    }
    return json;
}

std::string recomputeWords(const split::SplitStage& stage)
{
    if (stage.recomputedLayers == 0)
        return std::string(key(stage.others));
    if (stage.recomputedLayers == stage.layers)
        return "full";
    const std::string others =
        stage.others == parallel::Recompute::None ? "" : ", others " + std::string(key(stage.others));
    return std::to_string(stage.recomputedLayers) + " of " + std::to_string(stage.layers) + " layers" + others;
}

std::string chunkWords(const split::SplitStage& stage)
{
    std::string words;
    for (const int layers : stage.chunks)
        words += (words.empty() ? "" : " + ") + std::to_string(layers);
    return words;
}

/// A line per stage, with the columns that the plan has a use for.
std::string stagesTable(const Answer& answer)
{
    using enum Align;
    const bool unlike = !answer.plan.strategy.stageTp.empty();
    std::vector<Align> columns{Right, Right, Left, Right, Right};
    std::vector<std::string> heading{"Stage", "layers", "recomputation", "micro-batch", "memory"};
    if (unlike) {
        columns.insert(columns.begin() + 2, {Right, Right});
        heading.insert(heading.begin() + 2, {"TP", "DP"});
    }
    const bool chunked = !answer.split.stages.front().chunks.empty();
    if (chunked) {
        columns.insert(columns.begin() + 2, Left);
        heading.insert(heading.begin() + 2,
            shape(answer.plan.strategy.schedule) == parallel::PipelineShape::TwoWay ? "down, up" : "in chunks");
    }
    Table stages(columns);
    stages.heading(heading);
    for (std::size_t i = 0; i < answer.split.stages.size(); ++i) {
        const split::SplitStage& stage = answer.split.stages[i];
        std::vector<std::string> row{std::to_string(i), std::to_string(stage.layers), recomputeWords(stage)};
        row.insert(row.end(), {format(stage.passes), format(stage.peak)});
        if (unlike)
            row.insert(row.begin() + 2, {std::to_string(stage.tp), std::to_string(stage.dp)});
        if (chunked)
            row.insert(row.begin() + 2, chunkWords(stage));
        stages.row(row);
    }
    return stages.text();
}

std::string describe(const Answer& answer)
{
    using enum Align;
    if (!answer.after)
        return std::string(answer.split.proven ? "No split keeps every stage within "
                                               : "Stopped before a split was found within ")
            + format(answer.before.memory.capacity) + " per accelerator.\n";
    Table steps({Left, Right, Right, Left});
    steps.heading({"", "step", "peak memory", ""});
    const auto side = [&](const char* name, const estimate::Estimate& e) {
        steps.row({name, format(e.step), format(e.memory.peak), e.fits ? "" : std::string(narration::fitWords(false))});
    };
    side("Before", answer.before);
    side("After", *answer.after);
    steps.row({"Change", signedShare(answer.after->step / answer.before.step - 1)});
    const std::string resharding = describeResharding(answer.after->boundaries);
    return describePlan(answer.plan) + '\n' + stagesTable(answer) + '\n' + (resharding.empty() ? "" : resharding + '\n')
        + steps.text() + '\n'
        + (answer.split.proven ? "  No split within the memory has a step below " + format(answer.split.bound)
                    + ", the least bound of any: the answer is at most " + formatShare(gap(answer)) + " above the best"
                               : std::string("  Stopped before it was known how good it is"))
        + " (" + grouped(answer.split.labels) + " partial splits kept in " + format(Seconds(answer.seconds)) + ").\n"
        + describeProblems(answer.after->problems);
}

/// What is asked for; else the exit code of the refusal.
tl::expected<split::StageSplitOptions, int> readOptions(const SplitArguments& arguments)
{
    split::StageSplitOptions options;
    options.recomputation = !arguments.keepRecomputation;
    options.tensorParallel = arguments.tensorParallel;
    if (!arguments.headroom.empty()) {
        const auto share = parseNumber(arguments.headroom);
        if (!share || !(*share >= 0 && *share < 1))
            return tl::unexpected(refuse(
                "--headroom", '"' + arguments.headroom + '"', "a share from 0 up to 1, such as 0.1", arguments.json));
        options.headroom = *share;
    }
    return options;
}

/// The split, and what the plan is without it and with it.
tl::expected<Answer, std::vector<plan::Problem>> answerFor(
    const plan::Plan& plan, const split::StageSplitOptions& options, const std::stop_token& stop)
{
    const estimate::EstimateOptions asItIs{.remedies = false, .range = false};
    auto before = estimate::estimate(plan, asItIs);
    if (!before)
        return tl::unexpected(before.error());
    const auto start = std::chrono::steady_clock::now();
    auto split = splitStages(plan, options, stop);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!split)
        return tl::unexpected(split.error());
    Answer answer{plan, std::move(*split), std::move(*before), {}, seconds};
    if (answer.split.strategy) {
        answer.plan.strategy = *answer.split.strategy;
        auto after = estimate::estimate(answer.plan, asItIs);
        if (!after)
            return tl::unexpected(after.error());
        answer.after = std::move(*after);
    }
    return answer;
}

} // namespace

int runSplit(const SplitArguments& arguments)
{
    const auto options = readOptions(arguments);
    if (!options)
        return options.error();
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    if (const int refused = checkOutput(arguments.output, arguments.json); refused != kAnswered)
        return refused;
    Interruptible guard;
    const auto answer = answerFor(document->project.plan, *options, guard.token());
    if (!answer)
        return refuse(answer.error(), inputName(arguments.plan), arguments.json);
    if (!arguments.output.empty() && !answer->after) {
        complain("nothing to write to " + arguments.output + ": no split was found");
    } else if (!arguments.output.empty()) {
        const std::string text = exchange::writePlan(answer->plan, catalog::shippedCatalog(), document->original);
        if (const int refused = writeOutput(arguments.output, text, arguments.json); refused != kAnswered)
            return refused;
    }
    const int exitCode = answer->split.proven ? kAnswered : kStopped;
    return arguments.json ? deliverJson(answerJson(*answer), exitCode) : deliver(describe(*answer), exitCode);
}

} // namespace stratoplan::cli
