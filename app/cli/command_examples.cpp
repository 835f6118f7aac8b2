// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/table.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {

int runExamples(const ExamplesArguments& arguments)
{
    if (!arguments.name.empty()) {
        if (const exchange::Example* example = exchange::findExample(arguments.name))
            return deliver(example->text);
        std::string names;
        for (const exchange::Example& example : exchange::examples())
            names += (names.empty() ? "" : ", ") + example.name;
        return refuse("NAME", '"' + arguments.name + '"', "one of " + names, arguments.json);
    }
    if (arguments.json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const exchange::Example& example : exchange::examples())
            list.push_back({{"name", example.name}, {"title", example.title}});
        return deliverJson(nlohmann::ordered_json{{"examples", std::move(list)}});
    }
    Table table({Align::Left, Align::Left}, 0);
    table.heading({"Name", "Plan"});
    for (const exchange::Example& example : exchange::examples())
        table.row({example.name, example.title});
    return deliver(table.text());
}

} // namespace stratoplan::cli
