// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "core/exchange/estimate_json.h"

#include <nlohmann/json.hpp>

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
    return arguments.json ? deliverJson(answerJson(plan, *answer)) : deliver(describeEstimate(plan, *answer));
}

} // namespace stratoplan::cli
