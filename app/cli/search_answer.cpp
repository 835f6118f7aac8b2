// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/search_answer.h"

#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

double tokensPerSecond(const Plan& plan, Seconds step)
{
    return double(plan.training.globalBatch) * plan.training.sequenceLength / step.value();
}

/// Strategies of a front that are equal in value and in peak.
struct Group {
    const FoundStrategy* first = nullptr;
    std::int64_t count = 0;
};

std::vector<Group> groupsOf(const std::vector<FoundStrategy>& front)
{
    std::vector<Group> groups;
    for (const FoundStrategy& found : front) {
        if (groups.empty() || groups.back().first->value != found.value || groups.back().first->peak != found.peak)
            groups.push_back({&found, 0});
        ++groups.back().count;
    }
    return groups;
}

Json strategyJson(const Plan& plan, const FoundStrategy& found)
{
    Json json = toJson(found.strategy);
    if (found.precision != plan.training.precision)
        json["precision"] = std::string(key(found.precision));
    return json;
}

/// Three significant figures are enough for people, but not for telling neighbours of a front apart.
std::string slower(double value, double best)
{
    return value == best ? "best" : signedShare(value / best - 1);
}

std::string describeFound(const Plan& plan, const FoundStrategy& found)
{
    const std::string precision = found.precision == plan.training.precision ? "" : std::string(key(found.precision)) + " · ";
    return precision + describeStrategy(found.strategy);
}

std::string frontTable(const SearchAnswer& answer)
{
    Table table({Align::Right, Align::Right, Align::Right, Align::Left});
    table.heading({"step", "against best", "peak", "strategy"});
    const std::vector<Group> groups = groupsOf(answer.result.front);
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
        const std::string equals = group->count > 1 ? "  (and " + grouped(group->count - 1) + " that equal it)" : "";
        table.row({format(group->first->step), slower(group->first->value, answer.result.best->value), format(group->first->peak),
            describeFound(answer.plan, *group->first) + equals});
    }
    return table.text();
}

/// Schedules without a closed form are told with the other things that were not tried.
std::vector<FixedDimension> notVaried(const SearchAnswer& answer)
{
    std::vector<FixedDimension> fixed = fixedDimensions(answer.space, answer.plan);
    if (answer.result.mode == SearchMode::ClosedForm)
        fixed.push_back({"V-shaped, two-way and automatic schedules", "have no closed form; --simulate tries them"});
    if (answer.result.mode == SearchMode::ClosedForm && answer.space.timingPasses.size() > 1)
        fixed.push_back({"timing pass", "has no closed form; --simulate tries it"});
    return fixed;
}

/// What became of all the strategies.
std::string countsTable(const SearchResult& result)
{
    Table table({Align::Right, Align::Left});
    table.row({grouped(result.evaluated), result.mode == SearchMode::Simulated ? "simulated" : "priced whole"});
    for (std::size_t rule = 0; rule < kPruneRules; ++rule)
        if (result.pruned[rule] > 0)
            table.row({grouped(result.pruned[rule]), std::string(describe(PruneRule(rule)))});
    if (result.unvisited > 0)
        table.row({grouped(result.unvisited), "were not reached"});
    table.rule();
    table.row({grouped(result.space), "strategies in the space"});
    return table.text();
}

std::string describe(const std::set<SearchDimension>& locks)
{
    std::string names;
    for (const SearchDimension dimension : locks)
        names += (names.empty() ? "" : ", ") + std::string(key(dimension));
    return names.empty() ? names : "As the project's plan has them, locked there: " + names + " (--ignore-locks frees them)\n";
}

std::string verdict(const SearchAnswer& answer)
{
    const SearchResult& r = answer.result;
    std::string text = "Search for " + std::string(describe(answer.options.objective)) + ", space \"" + answer.space.name + "\", "
        + (r.mode == SearchMode::Simulated ? "every step simulated: " : "closed form: ");
    if (r.proven)
        text += r.best ? "proven, nothing in the space is better" : "proven, no strategy of the space fits";
    else
        text += "stopped" + (r.best ? "; what was not reached may be up to " + formatShare(r.gap) + " faster" : std::string(" before any was found"));
    return text + "\n" + grouped(r.space) + " strategies in " + format(Seconds(r.seconds)) + " on " + grouped(r.threads)
        + (r.threads == 1 ? " thread\n" : " threads\n") + describe(answer.locks);
}

Json whyJson(const Why& why)
{
    Json json{{"reason", std::string(key(why.binding))}, {"step_s", why.step.value()}, {"slower", why.slower}, {"over_bytes", why.over.value()}, {"bubble", why.bubble},
        {"stage", why.stage}, {"parts", Json::array()}, {"problems", Json::array()}, {"nearest", nullptr}};
    for (const StepPart& part : why.parts)
        json["parts"].push_back({{"part", part.name}, {"share", part.share}});
    for (const Problem& problem : why.problems)
        json["problems"].push_back(toJson(problem));
    if (why.nearest)
        json["nearest"] = {{"change", why.nearest->change}, {"strategy", toJson(why.nearest->strategy)}, {"step_s", why.nearest->step.value()},
            {"peak_bytes", why.nearest->peak.value()}};
    return json;
}

std::string describe(const Why& why, bool own)
{
    std::string text = own ? "The plan's own strategy " : "The strategy asked about ";
    switch (why.binding) {
    case Binding::Nothing: text += "is as fast as any.\n"; break;
    case Binding::Illegal: text += "cannot be run: " + describe(why.problems.front()) + '\n'; break;
    case Binding::OutOfMemory: text += "needs " + format(why.over) + " more than there is, on stage " + std::to_string(why.stage) + ".\n"; break;
    case Binding::Slower:
        text += "takes " + format(why.step) + ", " + signedShare(why.slower) + "; its bubble is " + formatShare(why.bubble) + " of it:\n";
        break;
    }
    Table table({Align::Right, Align::Left});
    if (why.binding == Binding::Slower)
        for (const StepPart& part : why.parts)
            table.row({signedShare(part.share), part.name});
    if (why.nearest)
        table.row({format(why.nearest->step), "one change away, in " + format(why.nearest->peak) + ": " + why.nearest->change});
    return text + table.text() + '\n';
}

std::string describe(const std::vector<MarginalValue>& values, Seconds best)
{
    Table table({Align::Left, Align::Right, Align::Right, Align::Right});
    table.heading({"With more", "best step", "against now", "as asked about"});
    for (const MarginalValue& value : values) {
        const std::string more = value.factor >= 2 ? fixed(value.factor, 0) + " times the " : "10 % more ";
        table.row({more + value.resource, value.step ? format(*value.step) : "–", value.step ? signedShare(*value.step / best - 1) : "",
            value.own ? format(*value.own) : "does not fit"});
    }
    return table.text() + '\n';
}

} // namespace

Plan planWith(const Plan& plan, const FoundStrategy& found)
{
    Plan result = plan;
    result.strategy = found.strategy;
    result.training.precision = found.precision;
    return result;
}

Json toJson(const SearchAnswer& answer)
{
    const SearchResult& r = answer.result;
    Json pruned = Json::object();
    for (std::size_t rule = 0; rule < kPruneRules; ++rule)
        if (r.pruned[rule] > 0)
            pruned[std::string(key(PruneRule(rule)))] = r.pruned[rule];
    Json json{{"mode", std::string(key(r.mode))}, {"objective", std::string(key(answer.options.objective))}, {"space_name", answer.space.name},
        {"proven", r.proven}, {"gap", r.gap}, {"space", r.space}, {"evaluated", r.evaluated}, {"pruned", std::move(pruned)},
        {"unvisited", r.unvisited}, {"seconds", r.seconds}, {"threads", r.threads}, {"best", nullptr}, {"front", Json::array()},
        {"not_varied", Json::array()}};
    const std::vector<Group> groups = groupsOf(r.front);
    if (r.best) {
        json["best"] = Json{{"strategy", strategyJson(answer.plan, *r.best)}, {"value", r.best->value}, {"step_s", r.best->step.value()},
            {"peak_bytes", r.best->peak.value()}, {"equals", groups.back().count}};
        if (const auto e = estimate(planWith(answer.plan, *r.best), {.remedies = false}))
            json["best"]["estimate"] = toJson(*e);
    }
    for (const Group& group : groups)
        json["front"].push_back({{"strategy", strategyJson(answer.plan, *group.first)}, {"tokens_per_s", tokensPerSecond(answer.plan, group.first->step)},
            {"peak_bytes", group.first->peak.value()}, {"step_s", group.first->step.value()}, {"equals", group.count}});
    for (const FixedDimension& fixed : notVaried(answer))
        json["not_varied"].push_back({{"dimension", fixed.dimension}, {"reason", fixed.reason}});
    for (const SearchDimension dimension : answer.locks)
        json["locks"].push_back(std::string(key(dimension)));
    if (answer.why)
        json["why"] = whyJson(*answer.why);
    for (const MarginalValue& value : answer.marginal)
        json["marginal"].push_back({{"resource", value.resource}, {"factor", value.factor}, {"step_s", value.step ? Json(value.step->value()) : Json(nullptr)},
            {"own_step_s", value.own ? Json(value.own->value()) : Json(nullptr)}});
    if (answer.space.name == "calculon")
        json["stands_for"] = calculonConfigurations(answer.plan);
    return json;
}

std::string describe(const SearchAnswer& answer, bool front)
{
    std::string text = verdict(answer) + '\n';
    if (answer.result.best) {
        const FoundStrategy& best = *answer.result.best;
        Table table({Align::Left, Align::Left});
        table.row({"Best", describeFound(answer.plan, best)});
        table.row({"Step", format(best.step) + ", " + formatCount(tokensPerSecond(answer.plan, best.step)) + " tokens/s"});
        if (const auto e = estimate(planWith(answer.plan, best), {.remedies = false}))
            table.row({"Use of the peak", formatShare(e->mfu) + " MFU; 80 % range of the step " + format(e->stepLow) + " to " + format(e->stepHigh)});
        table.row({"Memory", format(best.peak) + " of " + format(smallestMemory(answer.plan.cluster))});
        text += table.text() + '\n';
    }
    if (answer.why)
        text += describe(*answer.why, answer.asksOwn);
    if (!answer.marginal.empty() && answer.result.best)
        text += describe(answer.marginal, answer.result.best->step);
    if (front && answer.result.best)
        text += "Nothing is faster in as little memory\n" + frontTable(answer) + '\n';
    text += "What became of the strategies\n" + countsTable(answer.result);
    if (answer.space.name == "calculon")
        text += "They stand for " + grouped(calculonConfigurations(answer.plan)) + " configurations of Calculon, which also varies offload, overlap and networks.\n";
    text += "\nNot varied\n";
    Table fixedTable({Align::Left, Align::Left});
    for (const FixedDimension& fixed : notVaried(answer))
        fixedTable.row({fixed.dimension, fixed.reason});
    return text + fixedTable.text();
}

} // namespace stratoplan::cli
