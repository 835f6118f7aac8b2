// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/window_program.h"
#include "core/report/write.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {
namespace {

void showStage(const report::Progress& progress)
{
    constexpr int kSteps = 100;
    const int done = int(progress.share * kSteps);
    if (progress.stage == report::Stage::Search)
        showProgress(done, kSteps, "hundredths of the search");
    else if (progress.stage == report::Stage::Validation)
        showProgress(done, kSteps, "hundredths of the measured cases");
}

/// What is known of a report that was written.
int answerWritten(const OutputArguments& arguments)
{
    if (!arguments.json)
        return kAnswered;
    std::error_code error;
    const auto bytes = std::filesystem::file_size(arguments.output, error);
    return deliverJson({{"file", arguments.output}, {"bytes", error ? 0 : bytes}});
}

int stopped(const OutputArguments& arguments)
{
    endProgress();
    complain(arguments.output + " is not written: stopped before the report was done", app::LogLevel::Warning);
    return kStopped;
}

int writeByWindow(const OutputArguments& arguments, const exchange::Document& document)
{
    const std::string program = windowProgram();
    if (program.empty())
        return refuse("--output", '"' + arguments.output + '"',
            "the window program, stratoplan, beside this one or on the PATH, as it writes PDF; or .html, .xlsx or .csv",
            arguments.json);
    if (const auto estimate = estimate::estimate(document.project.plan, {.remedies = false, .range = false}); !estimate)
        return refuse(estimate.error(), inputName(arguments.plan), arguments.json);
    const int written = writeReportByWindow(program, arguments.output, document.original);
    return written == kAnswered ? answerWritten(arguments) : written;
}

} // namespace

int runReport(const OutputArguments& arguments)
{
    const auto kind = report::kindOfFile(arguments.output);
    if (!kind)
        return refuse("--output", '"' + arguments.output + '"',
            "a file whose name ends in " + std::string(report::kFileKinds), arguments.json);
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    if (const int refused = checkOutputBeside(arguments.plan, arguments.output, arguments.json); refused != kAnswered)
        return refused;
    if (*kind == report::FileKind::Pdf)
        return writeByWindow(arguments, *document);
    Interruptible guard;
    const auto facts = report::gather(*document, STRATOPLAN_VERSION, guard.token(), showStage);
    if (!facts && facts.error().empty())
        return stopped(arguments);
    if (!facts)
        return refuse(facts.error(), inputName(arguments.plan), arguments.json);
    const auto content = report::content(report::compose(*facts), *kind);
    if (!content)
        return refuse(content.error(), arguments.json);
    const int written = writeOutput(arguments.output, *content, arguments.json);
    return written == kAnswered ? answerWritten(arguments) : written;
}

} // namespace stratoplan::cli
