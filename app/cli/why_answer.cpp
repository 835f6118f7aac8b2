// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/why_answer.h"

#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/narration/estimates.h"
#include "core/narration/frameworks.h"
#include "core/narration/searches.h"
#include "core/narration/spaces.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const std::vector<catalog::FrameworkObjection>& objections)
{
    Json json = Json::array();
    for (const catalog::FrameworkObjection& objection : objections)
        json.push_back(
            {{"rule", std::string(key(objection.rule))}, {"framework", std::string(key(objection.framework))},
                {"message", narration::describe(objection)}, {"source", std::string(objection.source)}});
    return json;
}

} // namespace

Json toJson(const search::Why& why)
{
    Json json{{"reason", std::string(key(why.binding))}, {"step_s", why.step.value()}, {"slower", why.slower},
        {"worse", why.worse}, {"simulated_step_s", why.simulated.value()}, {"simulated_slower", why.simulatedSlower},
        {"over_bytes", why.over.value()}, {"bubble", why.bubble}, {"stage", why.stage},
        {"outside", why.outside ? Json(narration::describe(*why.outside)) : Json(nullptr)}, {"parts", Json::array()},
        {"problems", Json::array()}, {"nearest", nullptr}};
    for (const search::StepPart& part : why.parts)
        json["parts"].push_back({{"part", std::string(narration::describe(part.term))}, {"share", part.share}});
    for (const plan::Problem& problem : why.problems)
        json["problems"].push_back(exchange::toJson(problem));
    if (!why.objections.empty())
        json["objections"] = toJson(why.objections);
    if (why.nearest)
        json["nearest"] = {{"change", narration::describe(why.nearest->changes)},
            {"changes", why.nearest->changes.size()}, {"strategy", exchange::toJson(why.nearest->found.strategy)},
            {"step_s", why.nearest->found.step.value()}, {"value", why.nearest->found.value},
            {"peak_bytes", why.nearest->found.peak.value()}};
    return json;
}

Json toJson(const std::vector<search::MarginalValue>& values)
{
    Json json = Json::array();
    for (const search::MarginalValue& value : values) {
        const bool priced = value.asked.standing == search::Standing::Fits;
        json.push_back({{"resource", std::string(narration::describe(value.resource))}, {"factor", value.factor},
            {"step_s", value.best ? Json(value.best->step.value()) : Json(nullptr)},
            {"value", value.best ? Json(value.best->value) : Json(nullptr)},
            {"own_step_s", priced ? Json(value.asked.found.step.value()) : Json(nullptr)},
            {"own_standing", std::string(key(value.asked.standing))}});
    }
    return json;
}

std::string describe(const search::Why& why, const search::SearchOptions& options,
    const std::optional<search::FoundStrategy>& best, bool ofPlan)
{
    std::string text =
        describe(why, ofPlan ? narration::Asked::PlansOwn : narration::Asked::Other, options, best) + '\n';
    Table table({Align::Right, Align::Left});
    if (why.binding == search::Binding::Slower || why.binding == search::Binding::Outside)
        for (const search::StepPart& part : why.parts)
            table.row({signedShare(part.share), std::string(narration::describe(part.term))});
    if (why.nearest)
        table.row({format(why.nearest->found.step),
            narration::away(*why.nearest) + ", in " + format(why.nearest->found.peak) + ": "
                + narration::describe(why.nearest->changes)});
    return text + table.text() + '\n';
}

std::string describe(const std::vector<search::MarginalValue>& values, const search::SearchOptions& options,
    const std::optional<search::FoundStrategy>& best)
{
    const bool fewest = countsAccelerators(options.objective);
    Table table({Align::Left, Align::Right, Align::Right, Align::Right});
    table.heading({"With more", "best step",
        fewest ? "accelerators" : std::string(narration::measuredBy(options.objective)), "as asked about"});
    for (const search::MarginalValue& value : values) {
        const std::string change = !value.best ? ""
            : fewest                           ? grouped(rankCount(value.best->strategy))
            : best                             ? signedShare(value.best->value / best->value - 1)
                                               : "";
        table.row(
            {narration::describe(value), value.best ? format(value.best->step) : std::string(narration::kNoneFits),
                change, narration::describe(value.asked)});
    }
    return table.text() + '\n';
}

} // namespace stratoplan::cli
