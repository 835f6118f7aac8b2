// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sizing_answer.h"

#include "app/cli/capacity_answer.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/exchange/capacity_answer_json.h"
#include "core/exchange/estimate_json.h"
#include "core/sizing/sizing.h"
#include "core/units/format.h"
#include "core/units/parse.h"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A kind of nodes and what was found on them.
struct Kind {
    std::string name;
    plan::CapacityInputs inputs; ///< of the run on them
    std::optional<sizing::SizingAnswer> answer;
    bool isStopped = false; ///< before all was looked at
};

/// The plan on each kind that is asked for; the one that it is on where none is.
tl::expected<std::vector<std::pair<std::string, plan::Plan>>, int> plansOf(
    const CapacityArguments& arguments, const plan::Plan& plan)
{
    std::vector<std::pair<std::string, plan::Plan>> plans;
    for (const std::string& id : arguments.on) {
        const catalog::NodePreset* const nodes = catalog::shippedCatalog().node(id);
        if (nodes == nullptr)
            return tl::unexpected(refuse("--on", '"' + id + '"',
                "ids of nodes of the catalogue (stratoplan-cli catalog nodes), e.g. dgx-h100", arguments.json));
        plans.emplace_back(nodes->name, sizing::planOn(plan, *nodes));
    }
    if (plans.empty())
        plans.emplace_back(plan.cluster.nodes.empty() ? std::string() : plan.cluster.nodes.front().name, plan);
    return plans;
}

Json kindJson(const Kind& kind)
{
    Json json{{"nodes_of", kind.name}, {"met", kind.answer && kind.answer->isMet}};
    if (kind.isStopped)
        json["stopped"] = true;
    if (!kind.answer)
        return json;
    const sizing::SizingAnswer& a = *kind.answer;
    json["proven"] = a.isProven;
    json["nodes"] = a.plan.cluster.nodes.front().count;
    json["accelerators"] = a.capacity.used;
    json["strategy"] = exchange::toJson(a.plan.strategy);
    json["capacity"] = exchange::toJson(a.plan, a.capacity, kind.inputs, a.estimate);
    return json;
}

std::string proofOf(const sizing::SizingAnswer& answer)
{
    if (!answer.isProven)
        return "not proven";
    return answer.isMet ? "proven" : "fastest looked at";
}

std::string describeKinds(const std::vector<Kind>& kinds, double days)
{
    Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left, Align::Left});
    table.row({"Nodes", "Accelerators", "Days", "Cost", "MWh", "Proof", "Strategy"});
    for (const Kind& kind : kinds) {
        if (!kind.answer) {
            table.row({kind.name, "none", "", "", "", "",
                kind.isStopped ? "stopped; nothing found yet" : "no strategy fits"});
            continue;
        }
        const sizing::SizingAnswer& a = *kind.answer;
        const capacity::Capacity& c = a.capacity;
        table.row({formatNumber(a.plan.cluster.nodes.front().count) + " x " + kind.name, formatNumber(c.used),
            formatNumber(c.days.mid) + (a.isMet ? "" : " (too long)"),
            c.isPriced ? formatNumber(c.cost.mid) + ' ' + kind.inputs.currency : "no price",
            formatNumber(c.energyKwh.mid / 1000), proofOf(a), describeStrategy(a.plan.strategy)});
    }
    return "The fewest accelerators for " + formatNumber(days) + " days\n\n" + table.text();
}

} // namespace

int answerDays(
    const CapacityArguments& arguments, const exchange::Document& document, const plan::CapacityInputs& inputs)
{
    const auto days = parseNumber(arguments.days, 0);
    if (!days || !(*days > 0 && *days <= 1e6))
        return refuse("--days", '"' + arguments.days + '"', "a number of days > 0, e.g. 60", arguments.json);
    const auto plans = plansOf(arguments, document.project.plan);
    if (!plans)
        return plans.error();
    std::vector<Kind> kinds;
    Interruptible interrupt;
    for (const auto& [name, plan] : *plans) {
        std::cerr << "capacity: " << name << "…\n";
        // A price that is asked with is that of every kind, one of the plan that of its accelerators.
        const plan::CapacityInputs its =
            arguments.price.empty() ? sizing::inputsOn(inputs, plan, document.project.plan) : inputs;
        kinds.push_back(
            {name, its, sizing::fewestFor(plan, plan::defaultSpace(), its, {.days = *days}, interrupt.token())});
        kinds.back().isStopped = interrupt.token().stop_requested();
    }
    const int exitCode = kinds.back().isStopped ? kStopped : kAnswered;
    if (!arguments.json)
        return deliver(describeKinds(kinds, *days), exitCode);
    Json json{{"days_asked", *days}, {"tokens", capacity::budgetTokens(document.project.plan, inputs)},
        {"kinds", Json::array()}};
    for (const Kind& kind : kinds)
        json["kinds"].push_back(kindJson(kind));
    return deliverJson(json, exitCode);
}

int answerMoney(const CapacityArguments& arguments, const plan::Plan& plan, const estimate::Estimate& estimate,
    plan::CapacityInputs inputs)
{
    const auto money = parseNumber(arguments.money, 0);
    if (!money || !(*money > 0 && *money <= 1e15))
        return refuse("--money", '"' + arguments.money + '"', "an amount > 0, e.g. 5M", arguments.json);
    const double tokens = sizing::tokensFor(*money, plan, estimate, inputs);
    if (std::isinf(tokens))
        return refuse("--money", '"' + arguments.money + '"',
            "a price above 0 (--price), as for nothing there is no limit", arguments.json);
    if (!(tokens > 0))
        return refuse("--money", '"' + arguments.money + '"', "a price (--price), and what pays for one step at least",
            arguments.json);
    inputs.tokens = tokens;
    const capacity::Capacity result = capacity::capacity(plan, estimate, inputs);
    if (arguments.json)
        return deliverJson(exchange::toJson(plan, result, inputs, estimate));
    return deliver(describeCapacity(plan, result, inputs) + describeAssumptions(capacity::assumptions(plan, inputs)));
}

} // namespace stratoplan::cli
