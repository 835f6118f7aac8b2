// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/estimate/estimate.h"
#include "core/narration/estimates.h"
#include "core/narration/problems.h"
#include "core/units/format.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

/// One schedule of the plan.
struct Row {
    parallel::Schedule schedule = parallel::Schedule::OneFOneB;
    int virtualStages = 1;
    tl::expected<estimate::Estimate, std::string> answer; ///< or why there is none

    /// Idle share of all stages: as simulated, or what the breakdown of a pipeline too long for that leaves.
    [[nodiscard]] double bubble() const
    {
        if (timelineSlices(answer->pipeline) <= pipeline::kMostSlices)
            return simulate(answer->pipeline).bubbleFraction;
        double idle = 0;
        for (const pricing::Breakdown& stage : answer->stages)
            idle += stage.bubble / answer->step;
        return idle / double(answer->stages.size());
    }
};

/// What each schedule makes of the plan; or what is wrong with the plan whatever the schedule.
tl::expected<std::vector<Row>, std::vector<plan::Problem>> everySchedule(const plan::Plan& plan)
{
    std::vector<Row> rows;
    std::vector<plan::Problem> problems;
    bool any = false;
    for (int i = 0; !key(static_cast<parallel::Schedule>(i)).empty(); ++i) {
        plan::Plan other = plan;
        parallel::Strategy& s = other.strategy;
        s.schedule = static_cast<parallel::Schedule>(i);
        if (effectiveChunks(s.schedule, 3) != 3) {
            s.vpp = 1; // the schedule cuts stages itself
        } else if (plan.strategy.vpp == 1) {
            const std::string same(key(s.schedule == parallel::Schedule::BreadthFirst ? parallel::Schedule::GPipe
                                                                                      : parallel::Schedule::OneFOneB));
            rows.push_back({s.schedule, 1,
                tl::unexpected("with one virtual stage it is " + same + "; it needs a vpp of 2 or more")});
            continue;
        }
        auto answer = estimate::estimate(other, {.remedies = false, .range = false});
        any = any || answer;
        if (answer) {
            rows.push_back({s.schedule, s.vpp, std::move(*answer)});
        } else {
            rows.push_back({s.schedule, s.vpp, tl::unexpected(narration::describe(answer.error().front()))});
            if (problems.empty())
                problems = std::move(answer.error());
        }
    }
    if (!any)
        return tl::unexpected(std::move(problems));
    return rows;
}

Json toJson(const std::vector<Row>& rows)
{
    Json list = Json::array();
    for (const Row& row : rows) {
        Json entry{{"schedule", key(row.schedule)}, {"vpp", row.virtualStages}};
        if (row.answer) {
            entry["step_s"] = row.answer->step.value();
            entry["bubble_fraction"] = row.bubble();
            entry["peak_bytes"] = row.answer->memory.peak.value();
            entry["fits"] = row.answer->fits;
        } else {
            entry["reason"] = row.answer.error();
        }
        list.push_back(std::move(entry));
    }
    return {{"schedules", std::move(list)}};
}

std::string describe(const plan::Plan& plan, const std::vector<Row>& rows)
{
    using enum Align;
    Table table({Left, Right, Right, Right, Left});
    table.heading({"Schedule", "step", "idle", "peak memory", ""});
    for (const Row& row : rows) {
        std::string name(key(row.schedule));
        if (row.virtualStages > 1)
            name += ", " + std::to_string(row.virtualStages) + " virtual stages";
        if (row.answer)
            table.row({name, format(row.answer->step), formatShare(row.bubble()), format(row.answer->memory.peak),
                std::string(narration::fitWords(row.answer->fits))});
        else
            table.row({name, "", "", "", row.answer.error()});
    }
    return describePlan(plan) + '\n' + table.text();
}

} // namespace

int compareSchedules(const SimulateArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    plan::Plan plan = document->project.plan;
    if (!arguments.pass.empty())
        plan.strategy.timingPass = arguments.pass == "on";
    const auto rows = everySchedule(plan);
    if (!rows)
        return refuse(rows.error(), inputName(arguments.plan), arguments.json);
    return arguments.json ? deliverJson(toJson(*rows)) : deliver(describe(plan, *rows));
}

} // namespace stratoplan::cli
