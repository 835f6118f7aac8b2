// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "core/exchange/huggingface.h"
#include "core/exchange/json_text.h"
#include "core/exchange/starting_plan.h"
#include "core/reporting/documents.h"
#include "core/units/format.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

/// The model of a config.json; else the exit code of the refusal.
tl::expected<exchange::ImportedModel, int> readModel(const ImportArguments& arguments)
{
    const auto text = readText(arguments.file);
    if (!text)
        return tl::unexpected(refuse(text.error(), arguments.json));
    const std::string file = inputName(arguments.file);
    // Text that begins like JSON is told what is wrong with it as JSON.
    const std::string_view body = exchange::withoutByteOrderMark(*text);
    const std::size_t first = body.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || body[first] != '{')
        return tl::unexpected(refuse(file, "a text that is no JSON object",
            "the config.json of a Hugging Face model, the only kind this version reads", arguments.json));
    return exchange::importHuggingFace(
        *text, exchange::modelNameOf(arguments.file), file, {.standIn = arguments.standIn})
        .map_error([&](const exchange::DocumentErrors& errors) { return refuse(errors, arguments.json); });
}

void tellOnStandardError(const exchange::ImportedModel& imported, double count, const std::vector<std::string>& assumed)
{
    std::cerr << "import: " << imported.model.name << ", " << formatCount(count) << " parameters\n";
    for (const std::string& field : imported.filled)
        std::cerr << "import: not stated, taken as " << field << '\n';
    for (const std::string& sentence : reporting::describe(imported.simplified))
        std::cerr << "import: " << sentence << '\n';
    for (const std::string& line : assumed)
        std::cerr << "import: assumed " << line << '\n';
}

} // namespace

int runImport(const ImportArguments& arguments)
{
    const std::string output = arguments.output == "-" ? std::string() : arguments.output;
    if (const int refused = checkOutput(output, arguments.json); refused != kAnswered)
        return refused;
    const auto imported = readModel(arguments);
    if (!imported)
        return imported.error();
    const std::string file = inputName(arguments.file);
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
    if (arguments.json) {
        Json answer{{"kind", "huggingface"}, {"model", imported->model.name}, {"parameters", count},
            {"filled", imported->filled}, {"simplified", reporting::describe(imported->simplified)},
            {"assumed", assumed}};
        answer[output.empty() ? "plan" : "file"] = output.empty() ? Json::parse(plan) : Json(output);
        return deliverJson(answer);
    }
    tellOnStandardError(*imported, count, assumed);
    return output.empty() ? deliver(plan) : kAnswered;
}

} // namespace stratoplan::cli
