// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "core/exchange/huggingface.h"
#include "core/exchange/json_text.h"
#include "core/exchange/launch_file.h"
#include "core/exchange/recognise.h"
#include "core/exchange/starting_plan.h"
#include "core/reporting/documents.h"
#include "core/reporting/topologies.h"
#include "core/units/format.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Of a model that is not what its file, or its own name, says it is.
void tellClaim(exchange::ImportedModel& imported, const std::string& text, const std::string& file,
    std::vector<std::string>& lines)
{
    const auto document = exchange::parseJson(text);
    const std::string path = document && document->is_object() && document->contains("_name_or_path")
            && document->at("_name_or_path").is_string()
        ? document->at("_name_or_path").get<std::string>()
        : std::string();
    for (const auto& [place, name] : {std::pair("/_name_or_path", path), {"the name of the file", file}}) {
        const auto claimed = exchange::contradictedSize(name, imported.model);
        if (!claimed)
            continue;
        lines.push_back(std::string(place) + ": found \"" + claimed->text + "\", expected a size like the "
            + formatCount(double(parameters(imported.model).total)) + " parameters of the shape");
        return;
    }
}

/// The model of a config.json; else the exit code of the refusal.
tl::expected<exchange::ImportedModel, int> readModel(const ImportArguments& arguments, const std::string& text)
{
    const std::string file = inputName(arguments.file);
    // Text that begins like JSON is told what is wrong with it as JSON.
    const std::string_view body = exchange::withoutByteOrderMark(text);
    const std::size_t first = body.find_first_not_of(" \t\r\n");
    const bool isJson = first != std::string_view::npos && body[first] == '{';
    if (const auto fault = isJson ? std::nullopt : wiring::faultOfText(text))
        return tl::unexpected(refuse(reporting::documentError(*fault, file), arguments.json));
    if (!isJson)
        return tl::unexpected(refuse(file, "a text of no kind that is known",
            "the config.json of a Hugging Face model, arguments of Megatron-LM, a configuration of DeepSpeed or "
            "torchtitan, what nvidia-smi topo -m prints, the topology XML of NCCL, a topology.conf of Slurm or a table "
            "of nodes",
            arguments.json));
    for (const auto& [option, value] : {std::pair("--plan", arguments.plan), {"--accelerator", arguments.accelerator},
             {"--node", arguments.node}, {"--nic", arguments.nic},
             {"--nodes", arguments.nodes > 0 ? std::to_string(arguments.nodes) : std::string()}})
        if (!value.empty())
            return tl::unexpected(
                refuse(option, '"' + value + '"', "nothing: the file is of a model alone", arguments.json));
    return exchange::importHuggingFace(
        text, exchange::modelNameOf(arguments.file), file, {.standIn = arguments.standIn})
        .map_error([&](const exchange::DocumentErrors& errors) { return refuse(errors, arguments.json); });
}

void tellOnStandardError(const exchange::ImportedModel& imported, double count,
    const std::vector<std::string>& contradictions, const std::vector<std::string>& assumed)
{
    std::cerr << "import: " << imported.model.name << ", " << formatCount(count) << " parameters\n";
    for (const std::string& field : imported.filled)
        std::cerr << "import: not stated, taken as " << field << '\n';
    for (const std::string& sentence : reporting::describe(imported.simplified))
        std::cerr << "import: " << sentence << '\n';
    for (const std::string& line : contradictions)
        std::cerr << "import: " << printable(line) << '\n';
    for (const std::string& line : assumed)
        std::cerr << "import: assumed " << line << '\n';
}

} // namespace

int runImport(const ImportArguments& arguments)
{
    if (const int refused = checkOutputBeside(arguments.file, arguments.output, arguments.json); refused != kAnswered)
        return refused;
    const auto text = readText(arguments.file);
    if (!text)
        return refuse(text.error(), arguments.json);
    const exchange::FileKind kind = exchange::recogniseFile(*text);
    if (kind == exchange::FileKind::Topology)
        return importTopology(arguments, *text);
    if (kind == exchange::FileKind::Launch)
        return importLaunchFile(arguments, *text);
    auto imported = readModel(arguments, *text);
    if (!imported)
        return imported.error();
    const std::string file = inputName(arguments.file), output = arguments.output == "-" ? "" : arguments.output;
    const auto start = exchange::startingPlan(imported->model, imported->longestSequence, catalog::shippedCatalog());
    if (!start)
        return refuse(start.error(), file, arguments.json);
    const std::string plan = exchange::writePlan(*start, catalog::shippedCatalog());
    // What could not be read again is not written.
    if (const auto back = exchange::parseDocument(plan, catalog::shippedCatalog(), file); !back)
        return refuse(back.error(), arguments.json);
    if (!output.empty())
        if (const int refused = writeOutput(output, plan, arguments.json); refused != kAnswered)
            return refused;
    const std::vector<std::string> assumed = reporting::assumptions(*start);
    const double count = static_cast<double>(parameters(imported->model).total);
    std::vector<std::string> contradictions;
    tellClaim(*imported, *text, exchange::modelNameOf(arguments.file), contradictions);
    if (arguments.json) {
        Json answer{{"kind", "huggingface"}, {"model", imported->model.name}, {"parameters", count},
            {"filled", imported->filled}, {"simplified", reporting::describe(imported->simplified)},
            {"contradictions", contradictions}, {"assumed", assumed}};
        answer[output.empty() ? "plan" : "file"] = output.empty() ? Json::parse(plan) : Json(output);
        return deliverJson(answer);
    }
    tellOnStandardError(*imported, count, contradictions, assumed);
    return output.empty() ? deliver(plan) : kAnswered;
}

} // namespace stratoplan::cli
