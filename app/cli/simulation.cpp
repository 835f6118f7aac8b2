// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/simulation.h"

#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "core/exchange/schedule_file.h"

#include <cmath>

namespace stratoplan::cli {

tl::expected<Simulation, int> simulatePlan(const SimulateArguments& arguments, bool compares)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return tl::unexpected(refuse(document.error(), arguments.json));
    Simulation result;
    result.plan = document->project.plan;
    parallel::Strategy& strategy = result.plan.strategy;
    const auto named = parallel::scheduleFromKey(arguments.schedule);
    if (named)
        strategy.schedule = *named;
    if (!arguments.pass.empty())
        strategy.timingPass = arguments.pass == "on";
    auto answer = estimate::estimate(result.plan);
    if (!answer)
        return tl::unexpected(refuse(answer.error(), inputName(arguments.plan), arguments.json));
    if (!named && !arguments.schedule.empty()) {
        const auto text = exchange::readFile(arguments.schedule);
        if (!text)
            return tl::unexpected(refuse(exchange::DocumentErrors{text.error()}, arguments.json));
        const auto order = exchange::parseSchedule(*text, answer->pipeline, arguments.schedule);
        if (!order)
            return tl::unexpected(refuse(exchange::DocumentErrors{order.error()}, arguments.json));
        answer->pipeline.order = *order;
        result.order = arguments.schedule;
    }
    if (const double slices = timelineSlices(answer->pipeline); slices > pipeline::kMostSlices) {
        plan::Problem problem;
        problem.code = plan::ProblemCode::NotEstimable;
        problem.where = "/strategy/micro_batch";
        problem.found = slices;
        problem.limit = pipeline::kMostSlices;
        problem.cause = plan::ProblemCause::TimelineTooLong;
        return tl::unexpected(refuse({problem}, inputName(arguments.plan), arguments.json));
    }
    pipeline::PipelineWork ordered = answer->pipeline;
    ordered.order = programsOf(answer->pipeline); // made for its durations: dear to make twice
    result.timeline = simulate(ordered);
    result.memory = memoryTimeline(answer->memory, result.timeline);
    result.profiles = stageProfiles(ordered, result.timeline);
    result.capacity = answer->memory.capacity;
    result.fitsHost = answer->memory.fitsHost();
    result.boundaries = answer->boundaries;
    if (compares && !arguments.pass.empty()) {
        plan::Plan other = result.plan;
        other.strategy.timingPass = !other.strategy.timingPass;
        auto otherwise = estimate::estimate(other, {.remedies = false, .range = false});
        if (!otherwise)
            return tl::unexpected(refuse(otherwise.error(), inputName(arguments.plan), arguments.json));
        const bool on = result.plan.strategy.timingPass;
        otherwise->pipeline.order = answer->pipeline.order;
        result.otherProfiles = stageProfiles(otherwise->pipeline, simulate(otherwise->pipeline));
        result.pass =
            timingPass(on ? otherwise->pipeline : answer->pipeline, on ? answer->pipeline : otherwise->pipeline);
    }
    return result;
}

} // namespace stratoplan::cli
