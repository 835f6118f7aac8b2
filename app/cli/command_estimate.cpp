// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "app/cli/summary.h"
#include "core/exchange/estimate_json.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {

int runEstimate(const PlanArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    const Plan& plan = document->project.plan;
    const auto answer = estimate(plan);
    if (!answer)
        return refuse(answer.error(), inputName(arguments.plan), arguments.json);
    return arguments.json ? deliverJson(toJson(*answer)) : deliver(describeEstimate(plan, *answer));
}

} // namespace stratoplan::cli
