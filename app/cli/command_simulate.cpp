// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/pass_answer.h"
#include "app/cli/simulation.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/exchange/trace.h"
#include "core/narration/estimates.h"
#include "core/narration/pipelines.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

Json profilesOf(const std::vector<pipeline::StageProfile>& profiles)
{
    Json stages = Json::array();
    for (const pipeline::StageProfile& p : profiles) {
        stages.push_back({{"forward_s", p.forward.value()}, {"backward_s", p.backward.value()},
            {"recompute_s", p.recompute.value()}, {"weight_gradient_s", p.weightGradient.value()},
            {"optimizer_s", p.optimizer.value()}, {"parameter_gather_s", p.parameterGather.value()},
            {"gradient_sync_s", p.gradientSync.value()}, {"gradient_sync_exposed_s", p.gradientSyncExposed.value()},
            {"transfers_s", p.transfers.value()}, {"resharding_s", p.resharding.value()}, {"idle_s", p.idle().value()},
            {"waits_s", cli::toJson(p.waits)}});
    }
    return stages;
}

/// Steps of [seconds, bytes] for every stage.
Json memoryOf(const Simulation& simulation)
{
    Json stages = Json::array();
    for (const estimate::StageMemoryCurve& curve : simulation.memory.stages) {
        Json points = Json::array();
        for (const estimate::MemoryPoint& point : curve.points)
            points.push_back({point.at.value(), point.bytes.value()});
        stages.push_back({{"peak", exchange::toJson(curve.peak)}, {"points", std::move(points)}});
    }
    return {{"peak_at", exchange::toJson(simulation.memory.peak())}, {"capacity_bytes", simulation.capacity.value()},
        {"fits", simulation.fits()}, {"stages", std::move(stages)}};
}

Json answerOf(const Simulation& simulation)
{
    const pipeline::Timeline& timeline = simulation.timeline;
    Json waits = Json::array();
    for (const pipeline::Wait& wait : timeline.waits) {
        waits.push_back({{"stage", wait.stage}, {"start_s", wait.start.value()}, {"seconds", wait.duration.value()},
            {"cause", key(wait.cause)}});
        if (wait.endedBy < 0)
            continue; // by the end of the step
        const pipeline::Slice& end = timeline.slices[std::size_t(wait.endedBy)];
        waits.back()["ended_by"] = narration::describe(end);
        waits.back()["ended_by_stage"] = end.stage;
    }
    Json stages = Json::array();
    for (std::size_t i = 0; i < timeline.busy.size(); ++i)
        stages.push_back({{"busy_s", timeline.busy[i].value()}, {"idle_s", timeline.idle[i].value()}});
    Json answer{{"step_s", timeline.step.value()}, {"bubble_fraction", timeline.bubbleFraction},
        {"peak_in_flight", timeline.peakInFlight}, {"waits", std::move(waits)},
        {"waits_by_cause_s", cli::toJson(pipeline::byCause(waitsByStage(timeline)))}, {"stages", std::move(stages)},
        {"profile", profilesOf(simulation.profiles)}, {"boundaries", exchange::toJson(simulation.boundaries)},
        {"memory", memoryOf(simulation)}, {"schedule", key(simulation.plan.strategy.schedule)}};
    if (!simulation.order.empty())
        answer["order"] = simulation.order;
    if (simulation.pass) {
        const bool on = simulation.plan.strategy.timingPass;
        answer["pass"] = cli::toJson(*simulation.pass, on);
        answer["pass"]["profile_without"] = profilesOf(on ? simulation.otherProfiles : simulation.profiles);
        answer["pass"]["profile_with"] = profilesOf(on ? simulation.profiles : simulation.otherProfiles);
    }
    return answer;
}

/// The profile of every stage; beside it the one with the pass, where that is asked for.
std::string describeProfiles(
    const std::vector<pipeline::StageProfile>& without, const std::vector<pipeline::StageProfile>* with)
{
    using enum Align;
    Table table({Right, Right, Right, Right, Right, Right, Right, Right, Right});
    table.heading({"Profile of stage", "passes", "optimizer", "gather", "gradient sync", "exposed", "transfers",
        "resharding", "idle"});
    for (std::size_t i = 0; i < without.size(); ++i) {
        const pipeline::StageProfile& p = without[i];
        const auto both = [&](Seconds plain, Seconds passed) {
            return format(plain) + (with != nullptr ? " → " + format(passed) : "");
        };
        const pipeline::StageProfile& other = with != nullptr ? (*with)[i] : p;
        table.row({std::to_string(i), format(p.forward + p.backward + p.recompute + p.weightGradient),
            format(p.optimizer), format(p.parameterGather), both(p.gradientSync, other.gradientSync),
            both(p.gradientSyncExposed, other.gradientSyncExposed), both(p.transfers, other.transfers),
            both(p.resharding, other.resharding), both(p.idle(), other.idle())});
    }
    return table.text();
}

std::string describeTimeline(const Simulation& simulation)
{
    using enum Align;
    const pipeline::Timeline& t = simulation.timeline;
    Table head({Left, Left});
    head.row({"Step time", format(t.step)});
    head.row({"Idle", formatShare(t.bubbleFraction) + " of all stages"});
    const pipeline::WaitSeconds waits = pipeline::byCause(waitsByStage(t));
    for (const pipeline::Wait::Cause cause : kCauses)
        head.row({"Waiting, " + std::string(narration::describe(cause)),
            format(waits[std::size_t(cause)]) + " over all stages"});
    head.row({"Memory peak", describePeak(simulation.memory.peak(), t.chunks)});
    head.row({"Memory",
        format(simulation.memory.peak().bytes) + " of " + format(simulation.capacity) + ", "
            + std::string(narration::fitWords(simulation.fits(), simulation.fitsHost))});
    Table stages({Right, Right, Right, Right, Right, Right, Left});
    stages.heading({"Stage", "busy", "idle", "idle share", "in flight", "peak memory", "first reached"});
    for (std::size_t i = 0; i < t.busy.size(); ++i) {
        stages.row({std::to_string(i), format(t.busy[i]), format(t.idle[i]),
            formatShare(t.step.value() > 0 ? t.idle[i] / t.step : 0), std::to_string(t.peakInFlight[i]),
            format(simulation.memory.stages[i].peak.bytes),
            format(simulation.memory.stages[i].peak.at) + ", "
                + narration::describeMoment(simulation.memory.stages[i].peak, t.chunks)});
    }
    const bool on = simulation.plan.strategy.timingPass;
    const std::vector<pipeline::StageProfile>& other = simulation.otherProfiles;
    const std::string profiles = simulation.pass
        ? describeProfiles(on ? other : simulation.profiles, on ? &simulation.profiles : &other)
        : describeProfiles(simulation.profiles, nullptr);
    const std::string pass = simulation.pass ? '\n' + describePass(*simulation.pass) : std::string();
    const std::string resharding = describeResharding(simulation.boundaries);
    return describePlan(simulation.plan, simulation.order) + '\n' + head.text() + '\n' + stages.text()
        + (resharding.empty() ? "" : '\n' + resharding) + '\n' + profiles + pass;
}

} // namespace

int runSimulate(const SimulateArguments& arguments)
{
    if (arguments.schedule == "all")
        return compareSchedules(arguments);
    const auto simulation = simulatePlan(arguments, true);
    if (!simulation)
        return simulation.error();
    return arguments.json ? deliverJson(answerOf(*simulation)) : deliver(describeTimeline(*simulation));
}

int runTrace(const TraceArguments& arguments)
{
    if (const int refused = checkOutputBeside(arguments.simulate.plan, arguments.output, arguments.simulate.json);
        refused != kAnswered)
        return refused;
    const auto simulation = simulatePlan(arguments.simulate, false);
    if (!simulation)
        return simulation.error();
    const std::string text =
        exchange::traceText(simulation->plan.name, simulation->timeline, simulation->memory, simulation->boundaries);
    if (arguments.output == "-")
        return deliver(text);
    const int written = writeOutput(arguments.output, text, arguments.simulate.json);
    if (written == kAnswered && arguments.simulate.json)
        return deliverJson(
            Json{{"file", arguments.output}, {"events", simulation->timeline.slices.size()}, {"bytes", text.size()}});
    return written;
}

} // namespace stratoplan::cli
