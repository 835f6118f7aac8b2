// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/capacity/capacity.h"
#include "core/units/format.h"
#include "core/units/parse.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

std::string describeCapacity(const Capacity& c, const CapacityInputs& inputs)
{
    Table table({Align::Left, Align::Left});
    table.row({"Token budget", formatNumber(inputs.tokens) + " tokens, " + formatNumber(c.steps) + " steps"});
    table.row({"Duration", formatNumber(c.days) + " days at " + formatShare(inputs.goodput) + " goodput"});
    table.row({"Accelerators", formatNumber(c.acceleratorHours) + " accelerator-hours"});
    table.row({"Energy", formatNumber(c.energyKwh) + " kWh at a PUE of " + formatNumber(inputs.pue)});
    table.row({"Cost", inputs.pricePerAcceleratorHour > 0 ? formatNumber(c.cost) + ' ' + inputs.currency : "no price given (--price)"});
    return table.text();
}

} // namespace

int runCapacity(const CapacityArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    const Plan& plan = document->project.plan;
    CapacityInputs inputs = document->project.capacity;
    if (arguments.price)
        inputs.pricePerAcceleratorHour = *arguments.price;
    if (!arguments.tokens.empty()) {
        const auto tokens = parseNumber(arguments.tokens, inputs.tokens);
        if (!tokens)
            return refuse("--tokens", '"' + arguments.tokens + '"', tokens.error().expected, arguments.json);
        inputs.tokens = *tokens;
    }
    if (!(inputs.tokens > 0 && inputs.tokens <= 1e18))
        return refuse("--tokens", inputs.tokens == 0 ? "no token budget" : arguments.tokens, "a number of tokens > 0, e.g. 15T", arguments.json);
    const auto answer = estimate(plan);
    if (!answer)
        return refuse(answer.error(), inputName(arguments.plan), arguments.json);
    const Capacity result = capacity(plan, *answer, inputs);
    if (!arguments.json)
        return deliver(describePlan(plan) + '\n' + describeCapacity(result, inputs));
    return deliverJson(nlohmann::ordered_json{{"steps", result.steps},
                                          {"days", result.days},
                                          {"gpu_hours", result.acceleratorHours},
                                          {"cost", result.cost},
                                          {"currency", inputs.currency},
                                          {"energy_kwh", result.energyKwh},
                                          {"goodput", inputs.goodput},
                                          {"step_s", answer->step.value()},
                                          {"tokens", inputs.tokens}});
}

} // namespace stratoplan::cli
