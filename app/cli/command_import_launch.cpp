// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "core/catalog/catalog_suggest.h"
#include "core/catalog/quote.h"
#include "core/exchange/huggingface.h"
#include "core/exchange/launch_file.h"
#include "core/plan/problem.h"
#include "core/units/format.h"

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Options of other files; the exit code of the refusal, or kAnswered.
int refuseOtherOptions(const ImportArguments& arguments)
{
    if (arguments.standIn)
        return refuse(
            "--stand-in", "a launch file", "the config.json of a model, whose layers it is about", arguments.json);
    for (const auto& [option, value] : {std::pair("--accelerator", arguments.accelerator), {"--nic", arguments.nic}})
        if (!value.empty())
            return refuse(option, '"' + value + '"', "nothing: of a launch file --node says the nodes", arguments.json);
    if (arguments.plan == "-" && arguments.file == "-")
        return refuse("--plan", "\"-\"", "a file: the launch file comes from standard input", arguments.json);
    return kAnswered;
}

/// The node of --node, null where there is none; else the exit code of the refusal.
tl::expected<const catalog::NodePreset*, int> nodeOf(const ImportArguments& arguments)
{
    const catalog::Catalog& catalog = catalog::shippedCatalog();
    if (arguments.node.empty())
        return nullptr;
    if (const catalog::NodePreset* node = catalog.node(arguments.node))
        return node;
    std::vector<std::string_view> ids;
    for (const catalog::NodePreset& preset : catalog.nodes)
        ids.push_back(preset.id);
    return tl::unexpected(refuse("--node", catalog::quoteText(arguments.node),
        catalog::detail::expectedId("a node", arguments.node, ids), arguments.json));
}

/// Arguments beside a configuration of DeepSpeed: FILE.args, as export writes them; empty where there are none.
tl::expected<std::string, exchange::DocumentErrors> companionOf(
    const ImportArguments& arguments, exchange::LaunchKind kind)
{
    const std::string beside = arguments.file + ".args";
    std::error_code none;
    if (kind != exchange::LaunchKind::DeepSpeed || arguments.file == "-" || !std::filesystem::exists(beside, none))
        return std::string();
    return readText(beside);
}

std::string headOf(const exchange::ImportedLaunch& imported)
{
    const plan::Plan& plan = imported.plan;
    const parallel::Strategy& s = plan.strategy;
    return std::string(key(imported.kind)) + ", " + plan.model.name + ", "
        + formatCount(double(parameters(plan.model).total)) + " parameters, " + plan.cluster.name + ", TP "
        + std::to_string(s.tp) + ", CP " + std::to_string(s.cp) + ", PP " + std::to_string(s.pp) + ", DP "
        + std::to_string(s.dp);
}

/// Without the file, which a person has just named.
std::vector<std::string> warningsOf(const exchange::ImportedLaunch& imported)
{
    std::vector<std::string> lines;
    for (exchange::DocumentError warning : imported.warnings) {
        warning.file.clear();
        lines.push_back(describe(warning));
    }
    return lines;
}

void tellOnStandardError(const exchange::ImportedLaunch& imported)
{
    const auto tellLine = [](const char* head, const std::string& line) {
        std::cerr << "import: " << head << printable(line) << '\n';
    };
    tellLine("", headOf(imported));
    for (const std::string& line : imported.filled)
        tellLine("not stated, taken as ", line);
    for (const std::string& line : warningsOf(imported))
        tellLine("", line);
    for (const std::string& line : imported.unused)
        tellLine("not used: ", line);
}

int answerOf(const ImportArguments& arguments, const exchange::ImportedLaunch& imported, const std::string& text)
{
    const std::string output = arguments.output == "-" ? std::string() : arguments.output;
    // What could not be read again is not written.
    if (const auto back = exchange::parseDocument(text, catalog::shippedCatalog(), inputName(arguments.file)); !back)
        return refuse(back.error(), arguments.json);
    if (!output.empty())
        if (const int refused = writeOutput(output, text, arguments.json); refused != kAnswered)
            return refused;
    if (arguments.json) {
        Json answer{{"kind", key(imported.kind)}, {"model", imported.plan.model.name},
            {"parameters", double(parameters(imported.plan.model).total)},
            {"accelerators", acceleratorCount(imported.plan.cluster)}, {"filled", imported.filled},
            {"contradictions", warningsOf(imported)}, {"not_used", imported.unused}};
        answer[output.empty() ? "plan" : "file"] = output.empty() ? Json::parse(text) : Json(output);
        return deliverJson(answer);
    }
    tellOnStandardError(imported);
    return output.empty() ? deliver(text) : kAnswered;
}

} // namespace

int importLaunchFile(const ImportArguments& arguments, const std::string& text)
{
    const catalog::Catalog& catalog = catalog::shippedCatalog();
    if (const int refused = refuseOtherOptions(arguments); refused != kAnswered)
        return refused;
    const auto node = nodeOf(arguments);
    if (!node)
        return node.error();
    std::optional<exchange::Document> base;
    if (!arguments.plan.empty()) {
        auto document = readPlan(arguments.plan);
        if (!document)
            return refuse(document.error(), arguments.json);
        base = std::move(*document);
    }
    const std::string file = inputName(arguments.file);
    const auto kind = exchange::recogniseLaunch(text).value_or(exchange::LaunchKind::MegatronLm);
    const auto companion = companionOf(arguments, kind);
    if (!companion)
        return refuse(companion.error(), arguments.json);
    const exchange::LaunchOptions options{base ? &base->project.plan : nullptr, *node, arguments.nodes, *companion};
    auto imported = exchange::importLaunch(text, kind, exchange::modelNameOf(arguments.file), file, options, catalog);
    if (!imported)
        return refuse(imported.error(), arguments.json);
    if (const std::vector<plan::Problem> problems = plan::check(imported->plan); plan::hasErrors(problems))
        return refuse(problems, file, arguments.json);
    if (!base)
        return answerOf(arguments, *imported, exchange::writePlan(imported->plan, catalog));
    base->project.plan = imported->plan;
    return answerOf(arguments, *imported,
        base->isProject ? exchange::writeProject(*base, catalog)
                        : exchange::writePlan(imported->plan, catalog, base->original));
}

} // namespace stratoplan::cli
