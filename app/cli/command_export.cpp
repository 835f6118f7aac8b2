// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/output.h"
#include "core/capacity/capacity.h"
#include "core/exchange/chosen_plan.h"
#include "core/narration/launches.h"
#include "core/narration/problems.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace stratoplan::cli {
namespace {

/// What the answer says of what was written.
nlohmann::ordered_json answerOf(const OutputArguments& arguments, std::size_t bytes)
{
    return {{"file", arguments.output}, {"format", arguments.format}, {"bytes", bytes}};
}

/// The plan with its answer; without one where it cannot be estimated, which is said.
std::string planText(const exchange::Document& document)
{
    plan::Project project = document.project;
    if (!document.hasCapacity)
        project.capacity = capacity::startingInputs(project.plan, catalog::shippedCatalog());
    const auto estimate = estimate::estimate(project.plan);
    if (estimate)
        return exchange::writeChosenPlan(
            project, *estimate, {"stratoplan", STRATOPLAN_VERSION}, catalog::shippedCatalog(), document.original);
    for (const plan::Problem& problem : estimate.error())
        complain("Without an estimate: " + narration::describe(problem), app::LogLevel::Warning);
    return exchange::writePlan(project.plan, catalog::shippedCatalog(), document.original);
}

int exportPlan(const OutputArguments& arguments, const exchange::Document& document)
{
    const std::string text = planText(document);
    if (arguments.output == "-")
        return deliver(text);
    const int written = writeOutput(arguments.output, text, arguments.json);
    return written == kAnswered && arguments.json ? deliverJson(answerOf(arguments, text.size())) : written;
}

/// Beside the file, or on standard error where that is standard output.
int writeCompanions(const OutputArguments& arguments, const launch::LaunchFile& file, const plan::Plan& plan)
{
    for (const launch::Companion& companion : file.companions) {
        const std::string text = narration::launchText(file, companion, plan);
        if (arguments.output == "-") {
            std::cerr << text;
            continue;
        }
        if (const int written = writeOutput(arguments.output + companion.ending, text, arguments.json);
            written != kAnswered)
            return written;
    }
    return kAnswered;
}

void tellGaps(const launch::LaunchFile& file)
{
    for (const launch::Remark& remark : file.remarks)
        complain(narration::describe(remark, file.format), app::LogLevel::Warning);
    for (const launch::BlankSetting& blank : file.blanks)
        complain("To be filled in: " + narration::describe(blank) + '.', app::LogLevel::Warning);
}

nlohmann::ordered_json launchAnswer(const OutputArguments& arguments, const launch::LaunchFile& file, std::size_t bytes)
{
    nlohmann::ordered_json answer = answerOf(arguments, bytes);
    answer["companions"] = nlohmann::ordered_json::array();
    answer["not_expressed"] = nlohmann::ordered_json::array();
    answer["to_be_filled_in"] = nlohmann::ordered_json::array();
    for (const launch::Companion& companion : file.companions)
        answer["companions"].push_back(arguments.output + companion.ending);
    for (const launch::Remark& remark : file.remarks)
        answer["not_expressed"].push_back(narration::describe(remark, file.format));
    for (const launch::BlankSetting& blank : file.blanks)
        answer["to_be_filled_in"].push_back(narration::describe(blank));
    return answer;
}

int exportLaunch(const OutputArguments& arguments, const plan::Project& project, launch::Format format)
{
    const launch::LaunchFile file = launch::write(project, format);
    const std::string text = narration::launchText(file, project.plan);
    tellGaps(file);
    if (arguments.output == "-") {
        const int delivered = deliver(text);
        return delivered == kAnswered ? writeCompanions(arguments, file, project.plan) : delivered;
    }
    int written = writeOutput(arguments.output, text, arguments.json);
    if (written == kAnswered)
        written = writeCompanions(arguments, file, project.plan);
    return written == kAnswered && arguments.json ? deliverJson(launchAnswer(arguments, file, text.size())) : written;
}

} // namespace

int runExport(const OutputArguments& arguments)
{
    const auto format = launch::formatFromKey(arguments.format);
    if (arguments.format != "json" && !format)
        return refuse("--format", '"' + arguments.format + '"', "json, " + narration::launchFormats(), arguments.json);
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    if (!format)
        return exportPlan(arguments, *document);
    const std::vector<plan::Problem> problems = plan::check(document->project.plan);
    if (plan::hasErrors(problems))
        return refuse(problems, inputName(arguments.plan), arguments.json);
    return exportLaunch(arguments, document->project, *format);
}

} // namespace stratoplan::cli
