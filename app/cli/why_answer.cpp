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

bool countsAccelerators(Objective objective)
{
    return objective == Objective::Deadline || objective == Objective::SmallestCluster;
}

Json toJson(const std::vector<FrameworkObjection>& objections)
{
    Json json = Json::array();
    for (const FrameworkObjection& objection : objections)
        json.push_back(
            {{"rule", std::string(key(objection.rule))}, {"framework", std::string(key(objection.framework))},
                {"message", describe(objection)}, {"source", std::string(objection.source)}});
    return json;
}

} // namespace

Json toJson(const Why& why)
{
    Json json{{"reason", std::string(key(why.binding))}, {"step_s", why.step.value()}, {"slower", why.slower},
        {"worse", why.worse}, {"simulated_step_s", why.simulated.value()}, {"simulated_slower", why.simulatedSlower},
        {"over_bytes", why.over.value()}, {"bubble", why.bubble}, {"stage", why.stage},
        {"outside", why.outside ? Json(describe(*why.outside)) : Json(nullptr)}, {"parts", Json::array()},
        {"problems", Json::array()}, {"nearest", nullptr}};
    for (const StepPart& part : why.parts)
        json["parts"].push_back({{"part", std::string(describe(part.term))}, {"share", part.share}});
    for (const Problem& problem : why.problems)
        json["problems"].push_back(toJson(problem));
    if (!why.objections.empty())
        json["objections"] = toJson(why.objections);
    if (why.nearest)
        json["nearest"] = {{"change", describe(why.nearest->changes)}, {"changes", why.nearest->changes.size()},
            {"strategy", toJson(why.nearest->found.strategy)}, {"step_s", why.nearest->found.step.value()},
            {"value", why.nearest->found.value}, {"peak_bytes", why.nearest->found.peak.value()}};
    return json;
}

Json toJson(const std::vector<MarginalValue>& values)
{
    Json json = Json::array();
    for (const MarginalValue& value : values) {
        const bool priced = value.own.standing == Standing::Fits;
        json.push_back({{"resource", std::string(describe(value.resource))}, {"factor", value.factor},
            {"step_s", value.best ? Json(value.best->step.value()) : Json(nullptr)},
            {"value", value.best ? Json(value.best->value) : Json(nullptr)},
            {"own_step_s", priced ? Json(value.own.found.step.value()) : Json(nullptr)},
            {"own_standing", std::string(key(value.own.standing))}});
    }
    return json;
}

std::string describe(const Why& why, const SearchOptions& options, const std::optional<FoundStrategy>& best, bool own)
{
    std::string text = describe(why, own ? Asked::PlansOwn : Asked::Other, options, best) + '\n';
    Table table({Align::Right, Align::Left});
    if (why.binding == Binding::Slower || why.binding == Binding::Outside)
        for (const StepPart& part : why.parts)
            table.row({signedShare(part.share), std::string(describe(part.term))});
    if (why.nearest)
        table.row({format(why.nearest->found.step),
            away(*why.nearest) + ", in " + format(why.nearest->found.peak) + ": " + describe(why.nearest->changes)});
    return text + table.text() + '\n';
}

std::string describe(
    const std::vector<MarginalValue>& values, const SearchOptions& options, const std::optional<FoundStrategy>& best)
{
    const bool fewest = countsAccelerators(options.objective);
    Table table({Align::Left, Align::Right, Align::Right, Align::Right});
    table.heading({"With more", "best step", fewest ? "accelerators" : std::string(measuredBy(options.objective)),
        "as asked about"});
    for (const MarginalValue& value : values) {
        const std::string change = !value.best ? ""
            : fewest                           ? grouped(rankCount(value.best->strategy))
            : best                             ? signedShare(value.best->value / best->value - 1)
                                               : "";
        table.row({describe(value), value.best ? format(value.best->step) : std::string(kNoneFits), change,
            describe(value.own)});
    }
    return table.text() + '\n';
}

} // namespace stratoplan::cli
