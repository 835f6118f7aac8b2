// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/capacity/capacity.h"
#include "core/exchange/estimate_json.h"
#include "core/units/format.h"
#include "core/units/parse.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string describeCapacity(
    const plan::Plan& plan, const capacity::Capacity& c, const plan::CapacityInputs& inputs, bool priced)
{
    const int used = rankCount(plan.strategy);
    const std::string unpaid = c.idle > 0 ? "; " + grouped(c.idle) + " idle ones are neither paid for nor powered" : "";
    Table table({Align::Left, Align::Left});
    table.row({"Token budget", formatNumber(inputs.tokens) + " tokens, " + formatNumber(c.steps) + " steps"});
    table.row({"Duration", formatNumber(c.days) + " days at " + formatShare(inputs.goodput) + " goodput"});
    table.row({"Accelerators",
        formatNumber(c.acceleratorHours) + " accelerator-hours of the " + grouped(used) + " in use" + unpaid});
    table.row({"Energy",
        formatNumber(c.energyKwh) + " kWh of the accelerators' boards, at a PUE of " + formatNumber(inputs.pue)});
    table.row({"Cost", priced ? formatNumber(c.cost) + ' ' + inputs.currency : "no price given (--price)"});
    return table.text();
}

/// Those of the project, but for what the options say; else the exit code of the refusal.
tl::expected<plan::CapacityInputs, int> readInputs(const CapacityArguments& arguments, plan::CapacityInputs inputs)
{
    if (!arguments.price.empty()) {
        constexpr double kHighestPrice = 1e9; // as in a project
        const auto price = parseNumber(arguments.price, inputs.pricePerAcceleratorHour);
        if (!price || !(*price >= 0 && *price <= kHighestPrice))
            return tl::unexpected(refuse("--price", '"' + arguments.price + '"',
                "an amount per accelerator and hour from 0 to 1000000000, e.g. 2.5", arguments.json));
        inputs.pricePerAcceleratorHour = *price;
    }
    if (!arguments.tokens.empty()) {
        const auto tokens = parseNumber(arguments.tokens, inputs.tokens);
        if (!tokens)
            return tl::unexpected(
                refuse("--tokens", '"' + arguments.tokens + '"', tokens.error().expected, arguments.json));
        inputs.tokens = *tokens;
    }
    if (!(inputs.tokens > 0 && inputs.tokens <= 1e18))
        return tl::unexpected(refuse("--tokens", inputs.tokens == 0 ? "no token budget" : arguments.tokens,
            "a number of tokens > 0, e.g. 15T", arguments.json));
    return inputs;
}

/// What nothing here knows is null, with the reason: a guess would be taken for an answer.
Json capacityJson(const plan::Plan& plan, const capacity::Capacity& c, const plan::CapacityInputs& inputs,
    const estimate::Estimate& estimate, bool priced)
{
    Json unknown{{"co2_kg", "the carbon intensity of the electricity is not part of a plan"},
        {"delivery",
            "the spread of a run's duration needs the failures of its machines, which are not part of a plan"}};
    if (!priced)
        unknown["cost"] = "no price is given (--price)";
    Json problems = Json::array();
    for (const plan::Problem& problem : estimate.problems)
        problems.push_back(exchange::toJson(problem));
    return {{"steps", c.steps}, {"days", c.days}, {"gpu_hours", c.acceleratorHours},
        {"cost", priced ? Json(c.cost) : Json(nullptr)}, {"currency", inputs.currency}, {"energy_kwh", c.energyKwh},
        {"co2_kg", nullptr}, {"goodput", inputs.goodput},
        {"delivery", {{"p10", nullptr}, {"p50", nullptr}, {"p90", nullptr}}}, {"unknown", unknown},
        {"fits", estimate.fits}, {"problems", std::move(problems)}, {"step_s", estimate.step.value()},
        {"tokens", inputs.tokens}, {"accelerators_used", rankCount(plan.strategy)},
        {"accelerators_idle", acceleratorCount(plan.cluster) - rankCount(plan.strategy)}};
}

} // namespace

int runCapacity(const CapacityArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    const plan::Plan& plan = document->project.plan;
    const auto inputs = readInputs(arguments, document->project.capacity);
    if (!inputs)
        return inputs.error();
    const auto answer = estimate::estimate(plan);
    if (!answer)
        return refuse(answer.error(), inputName(arguments.plan), arguments.json);
    const capacity::Capacity result = capacity::capacity(plan, *answer, *inputs);
    const bool priced = inputs->pricePerAcceleratorHour > 0 || !arguments.price.empty(); // 0 in a project is none
    if (arguments.json)
        return deliverJson(capacityJson(plan, result, *inputs, *answer, priced));
    const std::string figures = describeCapacity(plan, result, *inputs, priced);
    const std::string problems = describeProblems(answer->problems);
    const bool runs = std::ranges::none_of(
        answer->problems, [](const plan::Problem& problem) { return problem.severity == plan::Severity::Error; });
    return deliver(describePlan(plan) + (runs ? '\n' + figures + problems : problems + '\n' + figures));
}

} // namespace stratoplan::cli
