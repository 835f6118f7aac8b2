// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "core/exchange/chosen_plan.h"
#include "core/exchange/estimate_json.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace stratoplan::cli {

namespace {

/// The estimate with the ledger of every stage and the instant of the peak.
nlohmann::ordered_json answerJson(const plan::Plan& plan, const estimate::Estimate& estimate)
{
    nlohmann::ordered_json json = exchange::toJson(estimate);
    nlohmann::ordered_json& memory = json["memory"];
    for (const cost::MemoryLedger& ledger : memoryLedgers(plan, estimate))
        memory["ledger"].push_back(exchange::toJson(ledger));
    if (const auto peak = memoryPeak(estimate))
        memory["peak_at"] = exchange::toJson(*peak);
    return json;
}

/// Steps that are the same to so much of them, whatever the compiler.
constexpr double kSameStep = 1e-9;

bool agrees(const exchange::StatedAnswer& stated, const estimate::Estimate& estimate)
{
    return std::abs(stated.step - estimate.step.value()) <= kSameStep * estimate.step.value();
}

/// What a plan that was exported with its answer says of it.
std::string describeStated(const exchange::StatedAnswer& stated, const estimate::Estimate& estimate)
{
    const std::string said = "The file says " + format(Seconds(stated.step)) + ", by version " + stated.version;
    return '\n' + said + (agrees(stated, estimate) ? ": the same.\n" : ": not the same.\n");
}

int deliverEstimate(const EstimateArguments& arguments, const exchange::Document& document, const plan::Plan& plan,
    const estimate::Estimate& estimate)
{
    const auto stated = exchange::statedAnswer(document);
    if (!arguments.json)
        return deliver(describeEstimate(plan, estimate) + (stated ? describeStated(*stated, estimate) : std::string()));
    nlohmann::ordered_json json = answerJson(plan, estimate);
    if (stated)
        json["stated"] = {
            {"step_s", stated->step}, {"version", stated->version}, {"agrees", agrees(*stated, estimate)}};
    return deliverJson(json);
}

} // namespace

int runEstimate(const EstimateArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    plan::Plan plan = document->project.plan;
    if (!arguments.profile.empty()) {
        auto profile = readProfile(arguments.profile);
        if (!profile)
            return refuse(profile.error(), arguments.json);
        plan.training.software = std::move(*profile);
    }
    const auto answer = estimate::estimate(plan);
    if (!answer)
        return refuse(answer.error(), inputName(arguments.plan), arguments.json);
    return deliverEstimate(arguments, *document, plan, *answer);
}

} // namespace stratoplan::cli
