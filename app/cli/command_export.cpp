// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {

int runExport(const OutputArguments& arguments)
{
    if (arguments.format != "json")
        return refuse(
            "--format", '"' + arguments.format + '"', "json (the only format of this version)", arguments.json);
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    const std::string text = exchange::writePlan(document->project.plan, catalog::shippedCatalog(), document->original);
    if (arguments.output == "-")
        return deliver(text);
    const int written = writeOutput(arguments.output, text, arguments.json);
    if (written == kAnswered && arguments.json)
        return deliverJson(
            nlohmann::ordered_json{{"file", arguments.output}, {"format", arguments.format}, {"bytes", text.size()}});
    return written;
}

} // namespace stratoplan::cli
