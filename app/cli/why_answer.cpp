// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/why_answer.h"

#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

bool countsAccelerators(Objective objective)
{
    return objective == Objective::Deadline || objective == Objective::SmallestCluster;
}

/// What the objective measures, before a signed share.
std::string_view measure(Objective objective)
{
    switch (objective) {
    case Objective::TokensPerCost:
        return "accelerator-hours";
    case Objective::TokensPerEnergy:
        return "energy";
    case Objective::Robust:
        return "step at the pessimistic end of its range";
    default:
        return "step";
    }
}

/// The step in the mode of the search, and the simulated one where that is another.
std::string steps(const Why& why, const SearchOptions& options)
{
    if (options.mode == SearchMode::Simulated || why.step == why.simulated)
        return format(why.simulated) + (options.mode == SearchMode::Simulated ? "" : " simulated");
    return format(why.step) + " in closed form and " + format(why.simulated) + " simulated";
}

std::string slower(const Why& why, const SearchOptions& options)
{
    std::string text = std::string(measure(options.objective)) + ' ' + signedShare(why.worse) + " against the best";
    if (options.mode == SearchMode::ClosedForm && why.step != why.simulated)
        text += ", simulated step " + signedShare(why.simulatedSlower);
    return text;
}

std::string sentence(const Why& why, const SearchOptions& options, const std::optional<FoundStrategy>& best)
{
    const std::string headroom =
        options.headroom > 0 ? "is left with " + formatShare(options.headroom) + " free" : std::string("there is");
    switch (why.binding) {
    case Binding::Nothing:
        return best ? "takes " + steps(why, options) + ": nothing in the space is better."
                    : "takes " + steps(why, options) + '.';
    case Binding::Illegal:
        return "cannot be run: " + describe(why.problems.front());
    case Binding::Framework: {
        std::string text = "is not one that " + std::string(title(why.objections.front().framework)) + " runs.";
        for (const FrameworkObjection& objection : why.objections)
            text += "\n  " + describe(objection);
        return text;
    }
    case Binding::OutOfMemory:
        return "needs " + format(why.over) + " more than " + headroom + ", on stage " + std::to_string(why.stage) + '.';
    case Binding::MissesDeadline:
        return "takes " + steps(why, options) + ", longer than the deadline of " + format(options.longestStep) + '.';
    case Binding::MoreAccelerators:
        return "uses " + grouped(why.accelerators) + " accelerators, where " + grouped(rankCount(best->strategy))
            + " are enough.";
    case Binding::Slower:
        return "takes " + steps(why, options) + ": " + slower(why, options) + "; its bubble is "
            + formatShare(why.bubble) + " of it.";
    case Binding::Outside:
        return "takes " + steps(why, options)
            + (best ? ", no worse than the best (" + slower(why, options) + ')' : std::string())
            + ". The search does not try it: outside the space is " + why.outside + '.';
    }
    return {};
}

std::string own(const Rescored& own)
{
    switch (own.standing) {
    case Standing::Fits:
        return format(own.found.step);
    case Standing::OutOfMemory:
        return "does not fit";
    case Standing::MissesDeadline:
        return format(own.found.step) + ", too long";
    case Standing::NoClosedForm:
        return "no closed form";
    case Standing::Illegal:
        return "cannot be run";
    case Standing::NotPriced:
        break;
    }
    return "–";
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
        {"outside", why.outside.empty() ? Json(nullptr) : Json(why.outside)}, {"parts", Json::array()},
        {"problems", Json::array()}, {"nearest", nullptr}};
    for (const StepPart& part : why.parts)
        json["parts"].push_back({{"part", part.name}, {"share", part.share}});
    for (const Problem& problem : why.problems)
        json["problems"].push_back(toJson(problem));
    if (!why.objections.empty())
        json["objections"] = toJson(why.objections);
    if (why.nearest)
        json["nearest"] = {{"change", why.nearest->change}, {"changes", why.nearest->changes},
            {"strategy", toJson(why.nearest->found.strategy)}, {"step_s", why.nearest->found.step.value()},
            {"value", why.nearest->found.value}, {"peak_bytes", why.nearest->found.peak.value()}};
    return json;
}

Json toJson(const std::vector<MarginalValue>& values)
{
    Json json = Json::array();
    for (const MarginalValue& value : values) {
        const bool priced = value.own.standing == Standing::Fits;
        json.push_back({{"resource", value.resource}, {"factor", value.factor},
            {"step_s", value.best ? Json(value.best->step.value()) : Json(nullptr)},
            {"value", value.best ? Json(value.best->value) : Json(nullptr)},
            {"own_step_s", priced ? Json(value.own.found.step.value()) : Json(nullptr)},
            {"own_standing", std::string(key(value.own.standing))}});
    }
    return json;
}

std::string describe(const Why& why, const SearchOptions& options, const std::optional<FoundStrategy>& best, bool own)
{
    std::string text =
        (own ? "The plan's own strategy " : "The strategy asked about ") + sentence(why, options, best) + '\n';
    Table table({Align::Right, Align::Left});
    if (why.binding == Binding::Slower || why.binding == Binding::Outside)
        for (const StepPart& part : why.parts)
            table.row({signedShare(part.share), part.name});
    if (why.nearest) {
        const std::string away =
            why.nearest->changes == 1 ? "one change away" : grouped(why.nearest->changes) + " changes away";
        table.row({format(why.nearest->found.step),
            away + ", in " + format(why.nearest->found.peak) + ": " + why.nearest->change});
    }
    return text + table.text() + '\n';
}

std::string describe(
    const std::vector<MarginalValue>& values, const SearchOptions& options, const std::optional<FoundStrategy>& best)
{
    const bool fewest = countsAccelerators(options.objective);
    Table table({Align::Left, Align::Right, Align::Right, Align::Right});
    table.heading({"With more", "best step", fewest ? "accelerators" : std::string(measure(options.objective)),
        "as asked about"});
    for (const MarginalValue& value : values) {
        const std::string more = value.factor >= 2 ? fixed(value.factor, 0) + " times the " : "10 % more ";
        const std::string change = !value.best ? ""
            : fewest                           ? grouped(rankCount(value.best->strategy))
            : best                             ? signedShare(value.best->value / best->value - 1)
                                               : "";
        table.row({more + value.resource, value.best ? format(value.best->step) : "none fits", change, own(value.own)});
    }
    return table.text() + '\n';
}

} // namespace stratoplan::cli
