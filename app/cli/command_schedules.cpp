// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/estimate/estimate.h"
#include "core/units/format.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

/// One schedule of the plan.
struct Row {
    Schedule schedule = Schedule::OneFOneB;
    int virtualStages = 1;
    tl::expected<Estimate, std::vector<Problem>> answer;

    /// Idle share of all stages: as simulated, or what the breakdown of a pipeline too long for that leaves.
    [[nodiscard]] double bubble() const
    {
        if (timelineSlices(answer->pipeline) <= kMostSlices)
            return simulate(answer->pipeline).bubbleFraction;
        double idle = 0;
        for (const Breakdown& stage : answer->stages)
            idle += stage.bubble / answer->step;
        return idle / double(answer->stages.size());
    }
};

std::vector<Row> everySchedule(const Plan& plan)
{
    std::vector<Row> rows;
    for (int i = 0; !key(static_cast<Schedule>(i)).empty(); ++i) {
        Plan other = plan;
        other.strategy.schedule = static_cast<Schedule>(i);
        if (effectiveChunks(other.strategy.schedule, 3) != 3)
            other.strategy.vpp = 1; // the schedule cuts stages itself
        else if (plan.strategy.vpp == 1)
            continue; // with one chunk it is 1F1B or GPipe
        rows.push_back({other.strategy.schedule, other.strategy.vpp, estimate(other, {.remedies = false, .range = false})});
    }
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
            entry["reason"] = describe(row.answer.error().front());
        }
        list.push_back(std::move(entry));
    }
    return {{"schedules", std::move(list)}};
}

std::string describe(const Plan& plan, const std::vector<Row>& rows)
{
    using enum Align;
    Table table({Left, Right, Right, Right, Left});
    table.heading({"Schedule", "step", "idle", "peak memory", ""});
    for (const Row& row : rows) {
        std::string name(key(row.schedule));
        if (row.virtualStages > 1)
            name += ", " + std::to_string(row.virtualStages) + " virtual stages";
        if (row.answer)
            table.row({name, format(row.answer->step), formatShare(row.bubble()), format(row.answer->memory.peak), row.answer->fits ? "fits" : "does not fit"});
        else
            table.row({name, "", "", "", stratoplan::describe(row.answer.error().front())});
    }
    return describePlan(plan) + '\n' + table.text();
}

} // namespace

int compareSchedules(const SimulateArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    Plan plan = document->project.plan;
    if (!arguments.pass.empty())
        plan.strategy.timingPass = arguments.pass == "on";
    const std::vector<Row> rows = everySchedule(plan);
    // What is wrong whatever the schedule is wrong with the plan.
    if (std::none_of(rows.begin(), rows.end(), [](const Row& row) { return row.answer.has_value(); }))
        return refuse(rows.front().answer.error(), inputName(arguments.plan), arguments.json);
    return arguments.json ? deliverJson(toJson(rows)) : deliver(describe(plan, rows));
}

} // namespace stratoplan::cli
