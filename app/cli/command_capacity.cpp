// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/capacity_answer.h"
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/sizing_answer.h"
#include "app/cli/summary.h"
#include "core/capacity/capacity.h"
#include "core/exchange/capacity_answer_json.h"
#include "core/units/format.h"
#include "core/units/parse.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stratoplan::cli {

namespace {

/// Of every accelerator, in place of those that the plan states. The exit code of a refusal, or 0.
int readPrice(const CapacityArguments& arguments, const plan::Plan& plan, plan::CapacityInputs& inputs)
{
    if (arguments.price.empty())
        return 0;
    constexpr double kHighestPrice = 1e9; // as in a project
    const auto price = parseNumber(arguments.price, inputs.pricePerAcceleratorHour);
    if (!price || !(*price >= 0 && *price <= kHighestPrice))
        return refuse("--price", '"' + arguments.price + '"',
            "an amount per accelerator and hour from 0 to 1000000000, e.g. 2.5", arguments.json);
    inputs.pricePerAcceleratorHour = *price;
    inputs.prices.clear();
    if (*price == 0)
        for (const cluster::NodeGroup& group : plan.cluster.nodes)
            inputs.prices[group.id] = 0;
    return 0;
}

/// Those of the project, but for what the options say; else the exit code of the refusal.
tl::expected<plan::CapacityInputs, int> readInputs(
    const CapacityArguments& arguments, const plan::Plan& plan, plan::CapacityInputs inputs)
{
    if (const int refused = readPrice(arguments, plan, inputs); refused != 0)
        return tl::unexpected(refused);
    if (!arguments.goodput.empty()) {
        const auto goodput = parseNumber(arguments.goodput, inputs.goodput);
        if (!goodput || !(*goodput > 0 && *goodput <= 1))
            return tl::unexpected(
                refuse("--goodput", '"' + arguments.goodput + '"', "a share > 0 and <= 1, e.g. 0.9", arguments.json));
        inputs.goodput = *goodput;
    }
    if (!arguments.start.empty())
        inputs.start = arguments.start;
    if (!inputs.start.empty() && !capacity::dayOf(inputs.start))
        return tl::unexpected(refuse(arguments.start.empty() ? "/capacity/start" : "--start", '"' + inputs.start + '"',
            "a day, e.g. 2026-12-01", arguments.json));
    if (!arguments.tokens.empty()) {
        const auto tokens = parseNumber(arguments.tokens, inputs.tokens);
        if (!tokens)
            return tl::unexpected(
                refuse("--tokens", '"' + arguments.tokens + '"', tokens.error().expected, arguments.json));
        if (!(*tokens > 0 && *tokens <= 1e18))
            return tl::unexpected(
                refuse("--tokens", arguments.tokens, "a number of tokens > 0, e.g. 15T", arguments.json));
        inputs.tokens = *tokens;
    }
    if (!hasBudget(inputs) && arguments.money.empty())
        return tl::unexpected(
            refuse("--tokens", "no token budget", "a number of tokens > 0, e.g. 15T", arguments.json));
    return inputs;
}

} // namespace

int runCapacity(const CapacityArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    const plan::Plan& plan = document->project.plan;
    const plan::CapacityInputs given =
        document->hasCapacity ? document->project.capacity : capacity::startingInputs(plan, catalog::shippedCatalog());
    const auto inputs = readInputs(arguments, plan, given);
    if (!inputs)
        return inputs.error();
    if (!arguments.days.empty())
        return answerDays(arguments, *document, *inputs);
    const auto answer = estimate::estimate(plan);
    if (!answer)
        return refuse(answer.error(), inputName(arguments.plan), arguments.json);
    if (!arguments.money.empty())
        return answerMoney(arguments, plan, *answer, *inputs);
    const capacity::Capacity result = capacity::capacity(plan, *answer, *inputs);
    if (arguments.json)
        return deliverJson(exchange::toJson(plan, result, *inputs, *answer));
    const std::string figures =
        describeCapacity(plan, result, *inputs) + describeAssumptions(capacity::assumptions(plan, *inputs));
    const std::string problems = describeProblems(answer->problems);
    const bool runs = std::ranges::none_of(
        answer->problems, [](const plan::Problem& problem) { return problem.severity == plan::Severity::Error; });
    return deliver(describePlan(plan) + (runs ? '\n' + figures + problems : problems + '\n' + figures));
}

} // namespace stratoplan::cli
