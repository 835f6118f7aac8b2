// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "core/catalog/catalog_suggest.h"
#include "core/catalog/quote.h"
#include "core/exchange/starting_plan.h"
#include "core/narration/problems.h"
#include "core/plan/problem.h"
#include "core/reporting/documents.h"
#include "core/reporting/topologies.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

/// The entry of that id, null for an empty one; else the exit code of the refusal.
template <class Entry>
tl::expected<const Entry*, int> entryOf(const std::string& id, const char* option, const char* what,
    const std::vector<Entry>& entries, const ImportArguments& arguments)
{
    if (id.empty())
        return nullptr;
    const auto it = std::ranges::find(entries, id, &Entry::id);
    if (it != entries.end())
        return &*it;
    std::vector<std::string_view> ids;
    for (const Entry& entry : entries)
        ids.push_back(entry.id);
    return tl::unexpected(
        refuse(option, catalog::quoteText(id), catalog::detail::expectedId(what, id, ids), arguments.json));
}

tl::expected<wiring::Options, int> optionsOf(const ImportArguments& arguments, wiring::Format format)
{
    const catalog::Catalog& catalog = catalog::shippedCatalog();
    if (arguments.standIn)
        return tl::unexpected(
            refuse("--stand-in", "a topology", "the config.json of a model, whose layers it is about", arguments.json));
    const bool listsNodes = format == wiring::Format::SlurmTree || format == wiring::Format::NodeTable;
    if (arguments.nodes > 0 && listsNodes)
        return tl::unexpected(refuse(
            "--nodes", std::to_string(arguments.nodes), "nothing: the file lists all nodes itself", arguments.json));
    const auto node = entryOf(arguments.node, "--node", "a node", catalog.nodes, arguments);
    if (!node)
        return tl::unexpected(node.error());
    const auto accelerator =
        entryOf(arguments.accelerator, "--accelerator", "an accelerator", catalog.accelerators, arguments);
    if (!accelerator)
        return tl::unexpected(accelerator.error());
    const auto nic = entryOf(arguments.nic, "--nic", "a link", catalog.links, arguments);
    if (!nic)
        return tl::unexpected(nic.error());
    return wiring::Options{*node, *accelerator, *nic, arguments.nodes};
}

/// "leaf-and-spine" of "sites/leaf-and-spine.conf".
std::string clusterNameOf(const ImportArguments& arguments, wiring::Format format)
{
    const std::string name =
        arguments.file == "-" ? std::string() : std::filesystem::path(arguments.file).stem().string();
    return name.empty() ? std::string(key(format)) : name;
}

/// The plan is written all the same: a person can change what is in the way.
void warnOf(const plan::Plan& plan)
{
    const auto answer = estimate::estimate(plan, {.remedies = false, .catalog = &catalog::shippedCatalog()});
    if (answer)
        return;
    for (const plan::Problem& problem : answer.error())
        if (problem.severity == plan::Severity::Error)
            complain("warning: the plan on this cluster: " + narration::describe(problem), app::LogLevel::Warning);
}

struct Outcome {
    std::string text; ///< of the plan to write
    std::vector<std::string> assumed;
    std::vector<std::string> changed; ///< of the strategy of --plan
};

/// Else the exit code of the refusal.
tl::expected<Outcome, int> planFor(const ImportArguments& arguments, const cluster::Cluster& cluster)
{
    const catalog::Catalog& catalog = catalog::shippedCatalog();
    const std::string file = inputName(arguments.file);
    if (arguments.plan.empty()) {
        const auto start = exchange::startingPlan(cluster, catalog);
        if (!start)
            return tl::unexpected(refuse(start.error(), file, arguments.json));
        std::vector<std::string> assumed = reporting::assumptions(*start);
        assumed.insert(assumed.begin(), reporting::assumedModel(*start));
        warnOf(*start);
        return Outcome{exchange::writePlan(*start, catalog), std::move(assumed), {}};
    }
    if (arguments.plan == "-" && arguments.file == "-")
        return tl::unexpected(
            refuse("--plan", "\"-\"", "a file: the topology comes from standard input", arguments.json));
    auto document = readPlan(arguments.plan);
    if (!document)
        return tl::unexpected(refuse(document.error(), arguments.json));
    plan::Plan& plan = document->project.plan;
    const parallel::Strategy before = plan.strategy;
    plan = exchange::onCluster(std::move(plan), cluster);
    warnOf(plan);
    return Outcome{document->isProject ? exchange::writeProject(*document, catalog)
                                       : exchange::writePlan(plan, catalog, document->original),
        {}, reporting::changes(before, plan.strategy)};
}

void tellOnStandardError(const std::string& cluster, const std::vector<std::string>& filled,
    const std::vector<std::string>& remarks, const Outcome& outcome)
{
    const auto tellLine = [](const char* head, const std::string& line) {
        std::cerr << "import: " << head << printable(line) << '\n';
    };
    tellLine("", cluster);
    for (const std::string& line : filled)
        tellLine("not stated, taken as ", line);
    for (const std::string& line : remarks)
        tellLine("", line);
    for (const std::string& line : outcome.assumed)
        tellLine("assumed ", line);
    for (const std::string& line : outcome.changed)
        tellLine("changed ", line);
}

} // namespace

int importTopology(const ImportArguments& arguments, const std::string& text)
{
    const std::string file = inputName(arguments.file);
    const std::string output = arguments.output == "-" ? std::string() : arguments.output;
    const wiring::Format format = wiring::recognise(text).value_or(wiring::Format::NodeTable);
    const auto options = optionsOf(arguments, format);
    if (!options)
        return options.error();
    const auto imported =
        wiring::importCluster(text, format, clusterNameOf(arguments, format), *options, catalog::shippedCatalog());
    if (!imported)
        return refuse(reporting::documentError(imported.error(), file), arguments.json);
    const auto outcome = planFor(arguments, imported->cluster);
    if (!outcome)
        return outcome.error();
    // What could not be read again is not written.
    if (const auto back = exchange::parseDocument(outcome->text, catalog::shippedCatalog(), file); !back)
        return refuse(back.error(), arguments.json);
    if (!output.empty())
        if (const int refused = writeOutput(output, outcome->text, arguments.json); refused != kAnswered)
            return refused;
    const std::vector<std::string> filled = reporting::describe(imported->filled);
    const std::vector<std::string> remarks = reporting::describe(imported->remarks);
    if (arguments.json) {
        Json answer{{"kind", std::string(key(format))}, {"cluster", imported->cluster.name},
            {"nodes", nodeCount(imported->cluster)}, {"accelerators", acceleratorCount(imported->cluster)},
            {"filled", filled}, {"simplified", remarks}, {"assumed", outcome->assumed}, {"changed", outcome->changed}};
        answer[output.empty() ? "plan" : "file"] = output.empty() ? Json::parse(outcome->text) : Json(output);
        return deliverJson(answer);
    }
    tellOnStandardError(reporting::describe(imported->cluster), filled, remarks, *outcome);
    return output.empty() ? deliver(outcome->text) : kAnswered;
}

} // namespace stratoplan::cli
