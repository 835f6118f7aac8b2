// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/own_runs.h"

#include "core/calibration/case_runs.h"
#include "core/calibration/fit_report.h"
#include "core/calibration/megatron_runs.h"
#include "core/calibration/screening.h"
#include "core/calibration/solver.h"
#include "core/narration/profiles.h"

#include <algorithm>
#include <set>

namespace stratoplan::calibration {

namespace {

constexpr std::string_view kCalibratedId = "-calibrated";
constexpr std::size_t kMostSingles = 50; ///< more strategies than this are left out in ten parts

tl::expected<RunTable, UnusableText> readCaseRuns(std::string_view text, const RunContext& context)
{
    const auto cases =
        validation::readCases(text, catalog::shippedCatalog(), {.file = context.file, .software = context.software});
    if (!cases)
        return tl::unexpected(UnusableText{.file = context.file, .document = {cases.error()}});
    RunTable table;
    table.runs = runsOf(*cases);
    for (std::size_t i = 0; i < table.runs.size(); ++i)
        table.runs[i].order = int(i);
    for (const validation::SkippedCase& skipped : cases->skipped)
        table.faulty.push_back({skipped.id, skipped.reason, int(table.runs.size() + table.faulty.size())});
    return table;
}

tl::expected<RunTable, UnusableText> readUnscreened(std::string_view text, const RunContext& context)
{
    const auto unusable = [&](RunFault fault) {
        return tl::unexpected(UnusableText{context.file, context.planName, {std::move(fault)}});
    };
    switch (recogniseRunText(text)) {
    case RunText::Cases:
        return readCaseRuns(text, context);
    case RunText::KernelProfile:
        return unusable({.code = RunFaultCode::MeasuredKernels});
    case RunText::MegatronLog:
        if (!context.plan)
            return unusable({.code = RunFaultCode::LogWithoutPlan});
        return readMegatronRuns(text, context);
    case RunText::Table:
        break;
    }
    if (!context.plan)
        return unusable({.code = RunFaultCode::TableWithoutPlan});
    auto table = readRunTable(text, *context.plan);
    if (!table)
        return unusable(std::move(table.error()));
    return std::move(*table);
}

} // namespace

tl::expected<std::optional<NamedPlan>, exchange::DocumentErrors> planNamedBy(
    std::string_view text, const std::filesystem::path& folder)
{
    const std::string name = recogniseRunText(text) == RunText::Table ? namedPlan(text) : std::string();
    if (name.empty())
        return std::nullopt;
    std::string content;
    std::string file = name;
    if (const exchange::Example* example = exchange::findExample(name)) {
        content = example->text;
    } else {
        const std::filesystem::path path = folder / name;
        auto read = exchange::readFile(path);
        if (!read)
            return tl::unexpected(exchange::DocumentErrors{read.error()});
        content = std::move(*read);
        file = path.string();
    }
    auto document = exchange::parseDocument(content, catalog::shippedCatalog(), file);
    if (!document)
        return tl::unexpected(document.error());
    return NamedPlan{name, std::move(document->project.plan)};
}

std::optional<plan::Problem> whyNotEstimable(const plan::Plan& plan)
{
    const auto answer = estimate::estimate(plan, {.remedies = false});
    return answer ? std::nullopt : std::optional(answer.error().front());
}

tl::expected<RunTable, UnusableText> readRuns(std::string_view text, const RunContext& context)
{
    auto table = readUnscreened(text, context);
    if (table)
        screenRuns(*table, context.software);
    return table;
}

std::vector<std::string> leftOutLabels(const std::vector<MeasuredRun>& runs)
{
    std::vector<std::string> labels;
    for (const MeasuredRun& run : runs)
        labels.push_back(detail::strategyLabel(run));
    std::set<std::string> distinct(labels.begin(), labels.end());
    if (distinct.size() < 2)
        for (std::size_t i = 0; i < labels.size(); ++i)
            labels[i] = std::to_string(i);
    distinct = {labels.begin(), labels.end()};
    if (distinct.size() > kMostSingles) {
        const std::vector<int> folds = detail::folds(labels, 10);
        std::transform(folds.begin(), folds.end(), labels.begin(), [](int fold) { return std::to_string(fold); });
    }
    return labels;
}

OwnFit fitOwnRuns(const plan::SoftwareProfile& start, const std::vector<MeasuredRun>& runs, const std::string& source,
    std::stop_token stop, const std::function<void(int, int)>& progress)
{
    OwnFit result;
    FitChoices choices{.rowsForAll = kRowsForAFit, .progress = progress};
    result.fitted = fitProfile(start, runs, leftOutLabels(runs), choices, stop);
    FittedProfile& fitted = result.fitted;
    result.stopped = stop.stop_requested();
    if (!start.id.ends_with(kCalibratedId)) { // what was calibrated before is calibrated anew
        fitted.profile.id = start.id + std::string(kCalibratedId);
        fitted.profile.name = narration::calibratedName(start);
    }
    describeRuns(start, runs, fitted);
    fitted.profile.source = narration::fittedTo(start, runs.size(), source);
    if (!result.stopped) {
        result.faults = unexplained(fitted);
        result.warnings = warningsOf(fitted, runs);
        result.refusal = whyUnusable(fitted.profile, runs);
    }
    return result;
}

} // namespace stratoplan::calibration
