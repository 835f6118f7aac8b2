// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/exchange/schedule_file.h"
#include "core/exchange/trace.h"
#include "core/pipeline/stage_profile.h"
#include "core/pipeline/timing_pass.h"
#include "core/units/format.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Simulation {
    Plan plan;
    Timeline timeline;
    MemoryTimeline memory;
    std::vector<StageProfile> profiles;
    std::vector<StageBoundary> boundaries;
    std::optional<TimingPass> pass; ///< asked for
    std::vector<StageProfile> otherProfiles; ///< with the timing pass the other way, where it is asked for
};

constexpr std::array kCauses{Wait::Cause::WarmUp, Wait::Cause::Activation, Wait::Cause::Gradient, Wait::Cause::Transfer,
                             Wait::Cause::Queue, Wait::Cause::GradientSync, Wait::Cause::CoolDown};

/// Reads, prices and simulates; or the exit code of the refusal, which has been told.
tl::expected<Simulation, int> simulatePlan(const SimulateArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return tl::unexpected(refuse(document.error(), arguments.json));
    Simulation result{document->project.plan, {}, {}, {}, {}, {}, {}};
    Strategy& strategy = result.plan.strategy;
    const auto named = scheduleFromKey(arguments.schedule);
    if (named)
        strategy.schedule = *named;
    if (!arguments.pass.empty())
        strategy.timingPass = arguments.pass == "on";
    auto answer = estimate(result.plan);
    if (!answer)
        return tl::unexpected(refuse(answer.error(), inputName(arguments.plan), arguments.json));
    if (!named && !arguments.schedule.empty()) {
        const auto text = readFile(arguments.schedule);
        if (!text)
            return tl::unexpected(refuse(DocumentErrors{text.error()}, arguments.json));
        const auto order = parseSchedule(*text, answer->pipeline, arguments.schedule);
        if (!order)
            return tl::unexpected(refuse(DocumentErrors{order.error()}, arguments.json));
        answer->pipeline.order = *order;
    }
    if (const double slices = timelineSlices(answer->pipeline); slices > kMostSlices) {
        Problem problem;
        problem.code = ProblemCode::NotEstimable;
        problem.where = "/strategy/micro_batch";
        problem.found = slices;
        problem.limit = kMostSlices;
        problem.detail = "its timeline has up to " + grouped(std::llround(slices)) + " slices, and " + grouped(std::llround(kMostSlices))
            + " are the most; use fewer micro-batches: larger ones, a smaller global batch or more data parallelism";
        return tl::unexpected(refuse({problem}, inputName(arguments.plan), arguments.json));
    }
    result.timeline = simulate(answer->pipeline);
    result.memory = memoryTimeline(answer->memory, result.timeline);
    result.profiles = stageProfiles(answer->pipeline, result.timeline);
    result.boundaries = answer->boundaries;
    if (!arguments.pass.empty()) {
        Plan other = result.plan;
        other.strategy.timingPass = !other.strategy.timingPass;
        auto otherwise = estimate(other, {.remedies = false, .range = false});
        if (!otherwise)
            return tl::unexpected(refuse(otherwise.error(), inputName(arguments.plan), arguments.json));
        const bool on = result.plan.strategy.timingPass;
        otherwise->pipeline.order = answer->pipeline.order;
        result.otherProfiles = stageProfiles(otherwise->pipeline, simulate(otherwise->pipeline));
        result.pass = timingPass(on ? otherwise->pipeline : answer->pipeline, on ? answer->pipeline : otherwise->pipeline);
    }
    return result;
}

WaitSeconds sum(const std::vector<WaitSeconds>& stages)
{
    WaitSeconds all{};
    for (const WaitSeconds& stage : stages)
        for (std::size_t cause = 0; cause < kWaitCauses; ++cause)
            all[cause] += stage[cause];
    return all;
}

Json toJson(const WaitSeconds& waits)
{
    Json causes = Json::object();
    for (const Wait::Cause cause : kCauses)
        causes[key(cause)] = waits[std::size_t(cause)].value();
    return causes;
}

Json toJson(const TimingPass& pass, bool on)
{
    Json steps = Json::array();
    for (const TimedStep& step : pass.steps)
        steps.push_back({{"step", key(step.step)}, {"step_s", step.seconds.value()}});
    Json stages = Json::array();
    for (const WaitSeconds& stage : pass.removed)
        stages.push_back(toJson(stage));
    return {{"on", on},           {"without_s", pass.without().value()},
            {"with_s", pass.with().value()}, {"gain", pass.gain()},
            {"steps", std::move(steps)},     {"removed_by_cause_s", toJson(pass.removedByCause())},
            {"removed_by_stage_s", std::move(stages)}};
}

Json toJson(const std::vector<StageProfile>& profiles)
{
    Json stages = Json::array();
    for (const StageProfile& p : profiles) {
        stages.push_back({{"forward_s", p.forward.value()},
                          {"backward_s", p.backward.value()},
                          {"recompute_s", p.recompute.value()},
                          {"weight_gradient_s", p.weightGradient.value()},
                          {"optimizer_s", p.optimizer.value()},
                          {"gradient_sync_s", p.gradientSync.value()},
                          {"gradient_sync_exposed_s", p.gradientSyncExposed.value()},
                          {"transfers_s", p.transfers.value()},
                          {"idle_s", p.idle().value()},
                          {"waits_s", toJson(p.waits)}});
    }
    return stages;
}

/// Steps of [seconds, bytes] for every stage.
Json toJson(const MemoryTimeline& memory)
{
    Json stages = Json::array();
    for (const StageMemoryCurve& curve : memory.stages) {
        Json points = Json::array();
        for (const MemoryPoint& point : curve.points)
            points.push_back({point.at.value(), point.bytes.value()});
        stages.push_back({{"peak", stratoplan::toJson(curve.peak)}, {"points", std::move(points)}});
    }
    return {{"peak_at", stratoplan::toJson(memory.peak())}, {"stages", std::move(stages)}};
}

Json toJson(const Simulation& simulation)
{
    const Timeline& timeline = simulation.timeline;
    Json waits = Json::array();
    for (const Wait& wait : timeline.waits)
        waits.push_back({{"stage", wait.stage}, {"start_s", wait.start.value()}, {"seconds", wait.duration.value()}, {"cause", key(wait.cause)}});
    Json stages = Json::array();
    for (std::size_t i = 0; i < timeline.busy.size(); ++i)
        stages.push_back({{"busy_s", timeline.busy[i].value()}, {"idle_s", timeline.idle[i].value()}});
    Json answer{{"step_s", timeline.step.value()},
            {"bubble_fraction", timeline.bubbleFraction},
            {"peak_in_flight", timeline.peakInFlight},
            {"waits", std::move(waits)},
            {"waits_by_cause_s", toJson(sum(waitsByStage(timeline)))},
            {"stages", std::move(stages)},
            {"profile", toJson(simulation.profiles)},
            {"boundaries", stratoplan::toJson(simulation.boundaries)},
            {"memory", toJson(simulation.memory)}};
    if (simulation.pass) {
        const bool on = simulation.plan.strategy.timingPass;
        answer["pass"] = toJson(*simulation.pass, on);
        answer["pass"]["profile_without"] = toJson(on ? simulation.otherProfiles : simulation.profiles);
        answer["pass"]["profile_with"] = toJson(on ? simulation.profiles : simulation.otherProfiles);
    }
    return answer;
}

std::string words(std::string_view key)
{
    std::string text(key);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

std::string signedShare(double value)
{
    constexpr double kRounding = 1e-9; // of sums in another order
    return std::abs(value) < kRounding ? formatShare(0) : (value < 0 ? "−" : "+") + formatShare(std::abs(value));
}

/// What each step of the timing pass brings, and which waits are gone.
std::string describePass(const TimingPass& pass)
{
    using enum Align;
    constexpr std::array<const char*, 5> kNames{"Runtime as it is", "Gradients reduced in the apply step", "and beside the passes",
                                                "Transfers sent when produced", "over links of their own"};
    Table steps({Left, Right, Right});
    steps.heading({"Timing pass", "step", "change"});
    Seconds before = pass.without();
    for (const TimedStep& step : pass.steps) {
        const double change = step.seconds / before - 1;
        steps.row({kNames[std::size_t(step.step)], format(step.seconds), step.step == TimingStep::Original ? "" : signedShare(change)});
        before = step.seconds;
    }
    steps.row({"Without over with", "", signedShare(pass.gain())});
    Table removed({Left, Right});
    removed.heading({"Waits removed, all stages", "time"});
    const WaitSeconds byCause = pass.removedByCause();
    for (const Wait::Cause cause : kCauses)
        if (byCause[std::size_t(cause)].value() != 0)
            removed.row({words(key(cause)), format(byCause[std::size_t(cause)])});
    return steps.text() + '\n' + removed.text();
}

/// The profile of every stage; beside it the one with the pass, where that is asked for.
std::string describeProfiles(const std::vector<StageProfile>& without, const std::vector<StageProfile>* with)
{
    using enum Align;
    Table table({Right, Right, Right, Right, Right, Right, Right});
    table.heading({"Profile of stage", "passes", "optimizer", "gradient sync", "exposed", "transfers", "idle"});
    for (std::size_t i = 0; i < without.size(); ++i) {
        const StageProfile& p = without[i];
        const auto both = [&](Seconds own, Seconds passed) { return format(own) + (with != nullptr ? " → " + format(passed) : ""); };
        const StageProfile& other = with != nullptr ? (*with)[i] : p;
        table.row({std::to_string(i), format(p.forward + p.backward + p.recompute + p.weightGradient), format(p.optimizer),
                   both(p.gradientSync, other.gradientSync), both(p.gradientSyncExposed, other.gradientSyncExposed),
                   both(p.transfers, other.transfers), both(p.idle(), other.idle())});
    }
    return table.text();
}

std::string describeTimeline(const Simulation& simulation)
{
    using enum Align;
    const Timeline& t = simulation.timeline;
    Table head({Left, Left});
    head.row({"Step time", format(t.step)});
    head.row({"Idle", formatShare(t.bubbleFraction) + " of all stages"});
    const WaitSeconds waits = sum(waitsByStage(t));
    for (const Wait::Cause cause : kCauses)
        head.row({"Waiting, " + words(key(cause)), format(waits[std::size_t(cause)]) + " over all stages"});
    head.row({"Memory peak", describePeak(simulation.memory.peak(), t.chunks)});
    Table stages({Right, Right, Right, Right, Right, Right, Left});
    stages.heading({"Stage", "busy", "idle", "idle share", "in flight", "peak memory", "first reached"});
    for (std::size_t i = 0; i < t.busy.size(); ++i) {
        stages.row({std::to_string(i), format(t.busy[i]), format(t.idle[i]), formatShare(t.step.value() > 0 ? t.idle[i] / t.step : 0),
                    std::to_string(t.peakInFlight[i]), format(simulation.memory.stages[i].peak.bytes),
                    format(simulation.memory.stages[i].peak.at) + ", " + describeMoment(simulation.memory.stages[i].peak, t.chunks)});
    }
    const bool on = simulation.plan.strategy.timingPass;
    const std::vector<StageProfile>& other = simulation.otherProfiles;
    const std::string profiles = simulation.pass ? describeProfiles(on ? other : simulation.profiles, on ? &simulation.profiles : &other)
                                                 : describeProfiles(simulation.profiles, nullptr);
    const std::string pass = simulation.pass ? '\n' + describePass(*simulation.pass) : std::string();
    const std::string resharding = describeResharding(simulation.boundaries);
    return describePlan(simulation.plan) + '\n' + head.text() + '\n' + stages.text() + (resharding.empty() ? "" : '\n' + resharding) + '\n' + profiles + pass;
}

} // namespace

int runSimulate(const SimulateArguments& arguments)
{
    if (arguments.schedule == "all")
        return compareSchedules(arguments);
    const auto simulation = simulatePlan(arguments);
    if (!simulation)
        return simulation.error();
    return arguments.json ? deliverJson(toJson(*simulation)) : deliver(describeTimeline(*simulation));
}

int runTrace(const OutputArguments& arguments)
{
    const auto simulation = simulatePlan({arguments.plan, {}, {}, arguments.json});
    if (!simulation)
        return simulation.error();
    const std::string text = traceText(simulation->plan.name, simulation->timeline, simulation->memory, simulation->boundaries);
    if (arguments.output == "-")
        return deliver(text);
    if (const auto written = writeFileAtomically(arguments.output, text); !written)
        return refuse(DocumentErrors{written.error()}, arguments.json);
    if (arguments.json)
        return deliverJson(Json{{"file", arguments.output}, {"events", simulation->timeline.slices.size()}, {"bytes", text.size()}});
    return kAnswered;
}

} // namespace stratoplan::cli
