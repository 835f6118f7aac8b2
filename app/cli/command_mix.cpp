// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/search_answer.h"
#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/narration/mixes.h"
#include "core/units/format.h"
#include "core/units/parse.h"
#include "core/units/trimmed.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <set>
#include <unistd.h>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

struct MixAnswer {
    const plan::Plan& plan;
    const search::MixOptions& options;
    const std::set<plan::Dimension>& locks; ///< dimensions that a project keeps as its plan has them
    search::MixResult result;
};

Json toJson(const plan::Plan& plan, const search::FoundMix& found)
{
    Json nodes = Json::array();
    for (std::size_t i = 0; i < found.mix.groups.size(); ++i)
        nodes.push_back({{"id", plan.cluster.nodes[found.mix.groups[i]].id}, {"count", found.mix.counts[i]}});
    return {{"nodes", std::move(nodes)}, {"step_s", found.best.step.value()}, {"peak_bytes", found.best.peak.value()},
        {"price_per_hour", found.perHour}, {"price_per_step", found.perStep},
        {"strategy", exchange::toJson(found.best.strategy)}};
}

Json toJson(const MixAnswer& answer)
{
    const search::MixResult& r = answer.result;
    Json front = Json::array();
    for (const search::FoundMix& found : r.front)
        front.push_back(toJson(answer.plan, found));
    Json json{{"proven", r.proven}, {"mixes", r.mixes}, {"searched", r.searched}, {"left_out", r.leftOut},
        {"strategies", r.strategies}, {"seconds", r.seconds}, {"priced", !answer.options.prices.empty()},
        {"front", std::move(front)}};
    addLocks(answer.locks, json);
    return json;
}

std::string describe(const MixAnswer& answer)
{
    using enum Align;
    const search::MixResult& r = answer.result;
    const bool isPriced = !answer.options.prices.empty();
    std::string text = narration::outcome(r) + '\n' + lockWords(answer.locks) + '\n';
    if (r.front.empty())
        return text + "  " + std::string(narration::kNoMixFits) + '\n';
    Table table({Left, Right, Right, Right, Left});
    table.heading({"Nodes, first stages first", "step", isPriced ? "price of a step" : "accelerator-hours a step",
        "peak memory", "strategy"});
    for (const search::FoundMix& found : r.front)
        table.row({narration::describe(answer.plan.cluster, found.mix), format(found.best.step),
            formatNumber(found.perStep), format(found.best.peak), describeStrategy(found.best.strategy)});
    text += table.text();
    if (r.proven) {
        const bool every = triesEveryCount(answer.plan.cluster, answer.options);
        text += "\n  " + std::string(narration::otherMixes(every)) + (every ? "\n" : " --every-count tries them.\n");
    }
    return text;
}

void show(const search::MixProgress& progress)
{
    if (isatty(STDERR_FILENO))
        std::fprintf(stderr, "\r\033[K%s of %s mixes%s", grouped(progress.decided).c_str(),
            grouped(progress.mixes).c_str(),
            progress.front.empty() ? "" : (", best " + format(progress.front.front().best.step)).c_str());
}

/// "h, a (DGX A100 80 GB)": ids of the groups, with their names where those are others.
std::string groupsOf(const cluster::Cluster& cluster)
{
    std::string groups;
    for (const cluster::NodeGroup& group : cluster.nodes)
        groups += (groups.empty() ? "" : ", ") + group.id
            + (group.name.empty() || group.name == group.id ? "" : " (" + group.name + ')');
    return groups;
}

std::string acceleratorsOf(const cluster::Cluster& cluster)
{
    std::set<std::string> ids;
    for (const cluster::NodeGroup& group : cluster.nodes)
        ids.insert(group.accelerator.id);
    std::string all;
    for (const std::string& id : ids)
        all += (all.empty() ? "" : ", ") + id;
    return all;
}

/// By place: the group of that id, else the only one of that name, else all whose accelerator has that id.
std::vector<std::size_t> groupsCalled(const cluster::Cluster& cluster, std::string_view text)
{
    const auto where = [&](auto&& isIt) {
        std::vector<std::size_t> places;
        for (std::size_t group = 0; group < cluster.nodes.size(); ++group)
            if (isIt(cluster.nodes[group]))
                places.push_back(group);
        return places;
    };
    if (auto byId = where([&](const cluster::NodeGroup& group) { return group.id == text; }); !byId.empty())
        return byId;
    if (auto byName = where([&](const cluster::NodeGroup& group) { return group.name == text; }); byName.size() == 1)
        return byName;
    return where([&](const cluster::NodeGroup& group) { return group.accelerator.id == text; });
}

/// "h=2.5, a=1.2": a price for each group that takes part, by its id, its name or its accelerator.
tl::expected<std::vector<double>, int> readPrices(const std::string& text, const plan::Plan& plan, bool json)
{
    std::vector<double> prices(text.empty() ? 0 : plan.cluster.nodes.size());
    const auto refused = [&](const std::string& found, const std::string& expected) {
        return tl::unexpected(refuse("--prices", found, expected, json));
    };
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find(',', from), text.size());
        const std::string part(trimmed(std::string_view(text).substr(from, end - from)));
        from = end + 1;
        const std::size_t sign = part.find('=');
        const auto groups = groupsCalled(plan.cluster, trimmed(std::string_view(part).substr(0, sign)));
        if (sign == std::string::npos || sign == 0 || groups.empty())
            return refused('"' + part + '"',
                "NODES=PRICE, with a group of nodes: " + groupsOf(plan.cluster)
                    + "; or an accelerator: " + acceleratorsOf(plan.cluster));
        const auto price = parseNumber(trimmed(std::string_view(part).substr(sign + 1)), 0);
        if (!price || !search::isPrice(*price))
            return refused('"' + part + '"',
                "a price of an accelerator-hour above 0, up to "
                    + grouped(static_cast<long long>(search::kHighestPrice)));
        for (const std::size_t group : groups) {
            if (prices[group] > 0)
                return refused('"' + part + '"', "one price of \"" + plan.cluster.nodes[group].id + '"');
            prices[group] = *price;
        }
    }
    if (const auto unpriced = search::unpricedGroups(plan.cluster, prices); !unpriced.empty())
        return refused("no price of \"" + plan.cluster.nodes[unpriced.front()].id + '"',
            "one for each group of nodes: " + groupsOf(plan.cluster));
    return prices;
}

/// The plan with the nodes and the strategy of the fastest mix, or of the cheapest, where one is asked for. The exit
/// code of the refusal, or kAnswered.
int write(const MixArguments& arguments, const exchange::Document& document, const search::MixResult& result)
{
    if (arguments.output.empty())
        return kAnswered;
    if (result.front.empty()) {
        complain("nothing to write to " + arguments.output + ": no strategy was found");
        return kAnswered;
    }
    const plan::Plan& plan = document.project.plan;
    const search::FoundMix& best = arguments.cheapest ? result.front.back() : result.front.front();
    const std::string text =
        exchange::writePlan(search::planWith(plan, best), catalog::shippedCatalog(), document.original);
    return writeOutput(arguments.output, text, arguments.json);
}

} // namespace

int runMix(const MixArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    const plan::Plan& plan = document->project.plan;
    if (const auto faults = searchFaults(plan); !faults.empty())
        return refuse(faults, inputName(arguments.plan), arguments.json);
    if (arguments.output == "-")
        return refuse("--output", "\"-\"", "a file: standard output has the answer", arguments.json);
    if (const int refused = checkOutput(arguments.output, arguments.json); refused != kAnswered)
        return refused;
    auto space = namedSpace(arguments.space, plan);
    if (!space)
        return refuse("--space", '"' + arguments.space + '"', "default, calculon or whole", arguments.json);
    const std::set<plan::Dimension> none, &locks = arguments.ignoreLocks ? none : document->project.search.locks;
    *space = withLocks(std::move(*space), locks, plan);
    space->framework = document->project.search.framework;
    auto prices = readPrices(arguments.prices, plan, arguments.json);
    if (!prices)
        return prices.error();
    const search::MixOptions options{arguments.everyCount, std::move(*prices)};
    if (mixCount(plan.cluster, options) > search::kMostMixes)
        return refuse("PLAN", "a cluster of more than " + grouped(search::kMostMixes) + " mixes of nodes",
            arguments.everyCount ? "fewer groups of nodes, or without --every-count powers of two"
                                 : "fewer groups of nodes",
            arguments.json);
    Interruptible guard;
    const search::MixResult result = searchMixes(plan, *space, options,
        {.mode = arguments.closedForm ? plan::SearchMode::ClosedForm : plan::SearchMode::Simulated,
            .exhaustive = arguments.exhaustive,
            .threads = arguments.threads},
        guard.token(), show);
    endProgress();
    const MixAnswer answer{plan, options, locks, result};
    const int exitCode = result.proven ? kAnswered : kStopped;
    if (const int written = write(arguments, *document, result); written != kAnswered)
        return written;
    return arguments.json ? deliverJson(toJson(answer), exitCode) : deliver(describe(answer), exitCode);
}

} // namespace stratoplan::cli
