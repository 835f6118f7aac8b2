// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "core/exchange/huggingface.h"
#include "core/exchange/json_text.h"
#include "core/exchange/starting_plan.h"
#include "core/units/format.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {

using Json = nlohmann::ordered_json;

int runImport(const ImportArguments& arguments)
{
    if (!arguments.output.empty() && arguments.output != "-") {
        if (const auto place = exchange::checkWritable(arguments.output); !place)
            return refuse(exchange::DocumentErrors{place.error()}, arguments.json);
    }
    const auto text = readText(arguments.file);
    if (!text)
        return refuse(text.error(), arguments.json);
    const std::string file = inputName(arguments.file);
    // Text that begins like JSON is told what is wrong with it as JSON.
    const std::string_view body = exchange::withoutByteOrderMark(*text);
    const std::size_t first = body.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || body[first] != '{')
        return refuse(file, "a text that is no JSON object",
            "the config.json of a Hugging Face model, the only kind this version reads", arguments.json);
    const auto imported = exchange::importHuggingFace(*text, exchange::modelNameOf(arguments.file), file);
    if (!imported)
        return refuse(imported.error(), arguments.json);
    const auto start = exchange::startingPlan(imported->model, imported->longestSequence, catalog::shippedCatalog());
    if (!start)
        return refuse(start.error(), file, arguments.json);
    const std::string plan = exchange::writePlan(*start, catalog::shippedCatalog());
    // What could not be read again is not written.
    if (const auto back = exchange::parseDocument(plan, catalog::shippedCatalog(), file); !back)
        return refuse(back.error(), arguments.json);
    const bool toFile = !arguments.output.empty() && arguments.output != "-";
    if (toFile) {
        if (const auto written = exchange::writeFileAtomically(arguments.output, plan); !written)
            return refuse(exchange::DocumentErrors{written.error()}, arguments.json);
    }
    const std::vector<std::string> assumed = exchange::assumptions(*start);
    const double count = static_cast<double>(parameters(imported->model).total);
    if (arguments.json) {
        Json answer{{"kind", "huggingface"}, {"model", imported->model.name}, {"parameters", count},
            {"filled", imported->filled}, {"simplified", imported->simplified}, {"assumed", assumed}};
        if (toFile)
            answer["file"] = arguments.output;
        else
            answer["plan"] = Json::parse(plan);
        return deliverJson(answer);
    }
    std::cerr << "import: " << imported->model.name << ", " << formatCount(count) << " parameters\n";
    for (const std::string& field : imported->filled)
        std::cerr << "import: not stated, taken as " << field << '\n';
    for (const std::string& sentence : imported->simplified)
        std::cerr << "import: " << sentence << '\n';
    for (const std::string& line : assumed)
        std::cerr << "import: assumed " << line << '\n';
    return toFile ? kAnswered : deliver(plan);
}

} // namespace stratoplan::cli
