// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/simulation.h"

#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "core/reporting/documents.h"

#include <cmath>

namespace stratoplan::cli {

namespace {

/// The plan with what the arguments say in place of its own choices.
plan::Plan simulatedPlan(const plan::Plan& plan, const SimulateArguments& arguments)
{
    plan::Plan result = plan;
    result.strategy.schedule = parallel::scheduleFromKey(arguments.schedule).value_or(plan.strategy.schedule);
    if (!arguments.pass.empty())
        result.strategy.timingPass = arguments.pass == "on";
    return result;
}

/// The order of passes of a file.
tl::expected<std::vector<pipeline::StageProgram>, exchange::DocumentError> readOrder(
    const std::string& file, const pipeline::PipelineWork& work)
{
    const auto text = exchange::readFile(file);
    if (!text)
        return tl::unexpected(text.error());
    return exchange::parseSchedule(*text, work).map_error([&](const exchange::ScheduleFault& fault) {
        return reporting::documentError(fault, file);
    });
}

plan::Problem timelineTooLong(double slices)
{
    plan::Problem problem;
    problem.code = plan::ProblemCode::NotEstimable;
    problem.where = "/strategy/micro_batch";
    problem.found = slices;
    problem.limit = pipeline::kMostSlices;
    problem.cause = plan::ProblemCause::TimelineTooLong;
    return problem;
}

/// Adds what the timing pass the other way does to `work`, of the same order of passes.
tl::expected<void, std::vector<plan::Problem>> comparePass(const pipeline::PipelineWork& work, Simulation& simulation)
{
    plan::Plan other = simulation.plan;
    other.strategy.timingPass = !other.strategy.timingPass;
    auto otherwise = estimate::estimate(other, {.remedies = false, .range = false});
    if (!otherwise)
        return tl::unexpected(otherwise.error());
    otherwise->pipeline.order = work.order;
    simulation.otherProfiles = stageProfiles(otherwise->pipeline, simulate(otherwise->pipeline));
    const bool on = simulation.plan.strategy.timingPass;
    simulation.pass = timingPass(on ? otherwise->pipeline : work, on ? work : otherwise->pipeline);
    return {};
}

} // namespace

tl::expected<Simulation, int> simulatePlan(const SimulateArguments& arguments, bool compares)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return tl::unexpected(refuse(document.error(), arguments.json));
    Simulation result;
    result.plan = simulatedPlan(document->project.plan, arguments);
    auto answer = estimate::estimate(result.plan);
    if (!answer)
        return tl::unexpected(refuse(answer.error(), inputName(arguments.plan), arguments.json));
    if (!arguments.schedule.empty() && !parallel::scheduleFromKey(arguments.schedule)) {
        auto order = readOrder(arguments.schedule, answer->pipeline);
        if (!order)
            return tl::unexpected(refuse(order.error(), arguments.json));
        answer->pipeline.order = std::move(*order);
        result.order = arguments.schedule;
    }
    if (const double slices = timelineSlices(answer->pipeline); slices > pipeline::kMostSlices)
        return tl::unexpected(refuse({timelineTooLong(slices)}, inputName(arguments.plan), arguments.json));
    pipeline::PipelineWork ordered = answer->pipeline;
    ordered.order = programsOf(answer->pipeline); // made for its durations: dear to make twice
    result.timeline = simulate(ordered);
    result.memory = memoryTimeline(answer->memory, result.timeline);
    result.profiles = stageProfiles(ordered, result.timeline);
    result.capacity = result.memory.capacity();
    result.fitsHost = answer->memory.fitsHost();
    result.boundaries = answer->boundaries;
    if (compares && !arguments.pass.empty())
        if (const auto compared = comparePass(answer->pipeline, result); !compared)
            return tl::unexpected(refuse(compared.error(), inputName(arguments.plan), arguments.json));
    return result;
}

} // namespace stratoplan::cli
