// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/k_fold.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "core/reporting/validation_page.h"
#include "core/units/format.h"
#include "core/validation/failures.h"
#include "core/validation/validation.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

Json orNull(const std::optional<double>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json toJson(const validation::ErrorStatistics& s)
{
    return {{"n", s.n}, {"mean_abs_error", s.meanAbs}, {"median_abs_error", s.medianAbs}, {"bias", s.bias},
        {"p90_abs_error", s.p90Abs}, {"worst", s.worst}, {"worst_id", s.worstId}, {"mean_accuracy", s.meanAccuracy},
        {"within_range", orNull(s.withinRange)}};
}

Json toJson(const validation::CaseResult& row)
{
    return {{"id", row.id}, {"group", row.group}, {"measured_s", orNull(row.measuredSeconds)},
        {"estimated_s", orNull(row.estimatedSeconds)}, {"error", orNull(row.error)}, {"low_s", orNull(row.lowSeconds)},
        {"high_s", orNull(row.highSeconds)}, {"measured_gib", orNull(row.measuredGib)},
        {"estimated_gib", orNull(row.estimatedGib)}, {"low_gib", orNull(row.lowGib)}, {"high_gib", orNull(row.highGib)},
        {"memory_error", orNull(row.memoryError)}, {"fits", row.fits}, {"filled", row.filled}};
}

Json toJson(const std::vector<validation::SkippedCase>& skipped)
{
    Json array = Json::array();
    for (const validation::SkippedCase& skippedCase : skipped)
        array.push_back({{"id", skippedCase.id}, {"reason", skippedCase.reason}});
    return array;
}

Json toJson(const validation::Validation& v)
{
    Json rows = Json::array();
    for (const validation::CaseResult& row : v.rows)
        rows.push_back(toJson(row));
    Json groups = Json::object();
    for (const validation::GroupStatistics& group : v.groups) {
        groups[group.group] = toJson(group.time);
        groups[group.group]["memory"] = toJson(group.memory);
    }
    Json result = {{"n_cases", v.total}, {"n_estimated", v.rows.size()}, {"skipped", toJson(v.skipped)},
        {"rows", std::move(rows)}};
    result["overall"] = toJson(v.overall);
    result["groups"] = std::move(groups);
    result["memory"] = toJson(v.memory);
    result["ranking"] = {{"n_groups", v.ranking.groups}, {"spearman_mean", v.ranking.spearmanMean},
        {"regret_mean", v.ranking.regretMean}, {"within_2_percent", v.ranking.within2Percent}};
    if (v.stopped)
        result["stopped"] = true;
    return result;
}

/// `ranged`: estimates of time come with a range, those of memory do not.
void statisticsRow(Table& table, const std::string& name, const validation::ErrorStatistics& s, bool ranged)
{
    if (s.n == 0)
        return;
    table.row({name, grouped(s.n), formatShare(s.meanAccuracy), formatShare(s.meanAbs), formatShare(s.medianAbs),
        signedShare(s.bias), formatShare(s.p90Abs), signedShare(s.worst),
        !ranged             ? std::string()
            : s.withinRange ? formatShare(*s.withinRange)
                            : std::string("–")});
}

std::string statisticsTable(const std::string& title, const validation::Validation& v,
    validation::ErrorStatistics validation::GroupStatistics::*part, const validation::ErrorStatistics& overall,
    bool ranged)
{
    using enum Align;
    Table table({Left, Right, Right, Right, Right, Right, Right, Right, Right}, 0);
    table.heading(
        {title, "cases", "accuracy", "mean error", "median", "bias", "90th pct", "worst", ranged ? "in range" : ""});
    for (const validation::GroupStatistics& group : v.groups)
        statisticsRow(table, group.group, group.*part, ranged);
    table.rule();
    statisticsRow(table, "All", overall, ranged);
    return table.text()
        + (ranged ? "In range: the share of the cases, each left out of the fit with its model shape, that lie in the "
                    "80 % range of their estimate.\n"
                  : "");
}

/// Why cases were not estimated, each reason with its count.
std::string skippedTable(const validation::Validation& v)
{
    std::map<std::string, int> reasons;
    for (const validation::SkippedCase& skippedCase : v.skipped)
        ++reasons[skippedCase.reason];
    Table table({Align::Right, Align::Left});
    for (const auto& [reason, count] : reasons)
        table.row({grouped(count), reason});
    return table.text();
}

/// What a stranger gets: sources that were left out of the fit. Nothing where none of the cases was fitted.
std::string strangersTable(const validation::ValidationReport& report,
    validation::ReportPart validation::SourceReport::*part, const validation::MeansOfSources& means,
    const std::string& title)
{
    if (means.sources == 0)
        return {};
    using enum Align;
    Table table({Left, Right, Right, Right, Right, Right}, 0);
    table.heading({title, "cases", "source left out", "bias", "shape left out", "fitted"});
    for (const validation::SourceReport& source : report.sources)
        if (const validation::ReportPart& errors = source.*part; errors.withoutSource.n > 0)
            table.row({source.source, grouped(errors.withoutSource.n), formatShare(errors.withoutSource.meanAbs),
                signedShare(errors.withoutSource.bias), formatShare(errors.leftOut.meanAbs),
                formatShare(errors.fit.meanAbs)});
    table.rule();
    table.row({"Mean of " + grouped(means.sources) + " sources", "", formatShare(means.withoutSource), "",
        formatShare(means.withoutShape), formatShare(means.fit)});
    return table.text()
        + "Source left out is what a run of your own gets: the mean error (and bias) with constants fitted without all "
          "that the publisher\nof the source measured; where no other publisher ran such a stack, with constants of "
          "documents alone. Shape left out: with those\nfitted without that model shape. Fitted: as they ship.\n\n";
}

std::string describeValidation(const validation::Validation& v, const validation::ValidationReport& report)
{
    std::string text = grouped(std::ssize(v.rows)) + " of " + grouped(v.total) + " measured cases estimated"
        + (v.stopped ? " (stopped before done)" : "") + "; error = estimated / measured − 1\n\n";
    text += strangersTable(report, &validation::SourceReport::time, report.time, "Step time");
    text += strangersTable(report, &validation::SourceReport::memory, report.memory, "Peak memory");
    text += statisticsTable("Step time", v, &validation::GroupStatistics::time, v.overall, true);
    if (v.overall.n > 0)
        text += "Worst: " + v.overall.worstId + '\n';
    if (v.memory.n > 0)
        text += '\n' + statisticsTable("Peak memory", v, &validation::GroupStatistics::memory, v.memory, false);
    if (v.ranking.groups > 0) {
        text += "\nRanking of strategies measured side by side, " + grouped(v.ranking.groups) + " groups\n";
        Table table({Align::Left, Align::Left});
        table.row({"Rank correlation", fixed(v.ranking.spearmanMean, 3) + " (Spearman, mean)"});
        table.row({"Regret",
            formatShare(v.ranking.regretMean)
                + " (how much slower our first choice was than the measured best, mean)"});
        table.row({"Within 2 %", formatShare(v.ranking.within2Percent) + " of the groups"});
        text += table.text();
    }
    if (!v.skipped.empty())
        text += "\nNot estimated, " + grouped(std::ssize(v.skipped)) + " cases\n" + skippedTable(v);
    return text;
}

/// VALIDATION.md -> validation
std::string pictureFolder(const std::filesystem::path& page)
{
    std::string name = page.stem().string();
    for (char& c : name)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name == page.filename().string() ? name + "-pictures" : name;
}

tl::expected<void, exchange::DocumentError> writePage(
    const std::string& file, const validation::CaseSet& cases, const validation::Validation& validation)
{
    const std::string folder = pictureFolder(file);
    const std::filesystem::path pictures = std::filesystem::path(file).parent_path() / folder;
    const reporting::ReportPage page = reporting::reportPage(validationReport(cases, validation), folder);
    std::error_code error;
    std::filesystem::create_directories(pictures, error);
    if (error)
        return tl::unexpected(exchange::DocumentError{exchange::DocumentError::Code::Unwritable, pictures.string(), {},
            error.message(), "a folder for the charts"});
    for (const reporting::ReportFile& picture : page.pictures)
        if (const auto written = exchange::writeFileAtomically(pictures / picture.name, picture.text); !written)
            return written;
    return exchange::writeFileAtomically(file, page.markdown);
}

/// The cases of a file, or without one those that are shipped; else the exit code of the refusal.
tl::expected<validation::CaseSet, int> casesOf(
    const std::string& file, const std::optional<plan::SoftwareProfile>& software, bool json)
{
    const auto read = file.empty()
        ? tl::expected<std::string, exchange::DocumentErrors>(std::string(validation::shippedCases()))
        : readText(file);
    if (!read)
        return tl::unexpected(refuse(read.error(), json));
    return validation::readCases(*read, catalog::shippedCatalog(), {.file = inputName(file), .software = software})
        .map_error([&](const exchange::DocumentError& error) { return refuse(error, json); });
}

/// The reason of a row without an id tells its place.
std::string whyNotCounted(const validation::SkippedCase& skipped)
{
    return (skipped.reason.starts_with(skipped.id) ? std::string() : skipped.id + ": ") + skipped.reason;
}

/// The runs that failed, if they are asked for; else the exit code of the refusal.
tl::expected<std::optional<validation::CaseSet>, int> failuresOf(
    const ValidateArguments& arguments, const std::optional<plan::SoftwareProfile>& software)
{
    if (arguments.failures.empty())
        return std::optional<validation::CaseSet>();
    auto failures = casesOf(arguments.failures, software, arguments.json);
    if (!failures)
        return tl::unexpected(failures.error());
    if (std::ranges::none_of(failures->cases, validation::isFailure)) {
        std::string found = "no run that ran out of memory";
        if (!failures->skipped.empty())
            found += "; rows that cannot be read: " + grouped(std::ssize(failures->skipped)) + ", the first "
                + whyNotCounted(failures->skipped.front());
        return tl::unexpected(
            refuse(exchange::DocumentError{exchange::DocumentError::Code::Schema, inputName(arguments.failures), {},
                       found, "cases with the status \"oom-certain\" or \"oom-likely\""},
                arguments.json));
    }
    return std::optional(std::move(*failures));
}

std::string describe(const validation::FitMatrix& matrix)
{
    Table table({Align::Left, Align::Right, Align::Right, Align::Right});
    table.heading({"Does it fit?", "runs", "told not to", "told to"});
    for (const auto& [name, count] : {std::pair("Ran out of memory, certainly", &matrix.certain),
             std::pair("Ran out of memory, likely", &matrix.likely), std::pair("Ran, measured", &matrix.measured)})
        table.row({name, grouped(count->runs), grouped(std::ssize(count->toldNotToFit)),
            grouped(std::ssize(count->toldToFit))});
    std::string text = '\n' + table.text() + "Caught: " + formatShare(matrix.caughtShare())
        + " of the failures; refused: " + formatShare(matrix.measured.refusedShare()) + " of the runs that ran.\n";
    const auto list = [&](const char* title, const std::vector<std::string>& ids) {
        for (const std::string& id : ids)
            text += std::string(title) + id + '\n';
    };
    list("Missed: ", matrix.certain.toldToFit);
    list("Missed: ", matrix.likely.toldToFit);
    list("Refused: ", matrix.measured.toldNotToFit);
    for (const validation::SkippedCase& skipped : matrix.skipped)
        text += "Not counted: " + whyNotCounted(skipped) + '\n';
    return text;
}

Json toJson(const validation::FitMatrix& matrix)
{
    const auto failures = [](const validation::FitCount& count) {
        return Json{{"n", count.runs}, {"caught", count.toldNotToFit.size()}, {"missed", count.toldToFit}};
    };
    return {{"caught", matrix.caughtShare()}, {"refused", matrix.measured.refusedShare()},
        {"certain", failures(matrix.certain)}, {"likely", failures(matrix.likely)},
        {"measured", {{"n", matrix.measured.runs}, {"refused", matrix.measured.toldNotToFit}}},
        {"skipped", toJson(matrix.skipped)}};
}

/// What is asked for beside the cases themselves.
struct Extras {
    std::optional<KFold> leftOut;
    std::optional<validation::FitMatrix> fits;
};

Json toJson(const validation::MeansOfSources& means)
{
    return {{"sources", means.sources}, {"source_left_out", means.withoutSource},
        {"model_shape_left_out", means.withoutShape}, {"fit", means.fit}};
}

/// The answer's key of times or peaks, where any of them was fitted.
void addLeftOut(const validation::ReportPart& part, const validation::MeansOfSources& means, Json& answer)
{
    if (part.leftOut.n == 0)
        return;
    answer["left_out"] = toJson(part.leftOut);
    answer["source_left_out"] = toJson(part.withoutSource);
    answer["source_left_out"].erase("within_range"); // --k-fold counts it
    answer["means_of_sources"] = toJson(means);
}

int deliverAnswer(
    const validation::Validation& result, const validation::ValidationReport& report, const Extras& extras, bool json)
{
    const int exitCode = result.stopped ? kStopped : kAnswered;
    if (!json)
        return deliver(describeValidation(result, report) + (extras.leftOut ? describe(*extras.leftOut) : std::string())
                + (extras.fits ? describe(*extras.fits) : std::string()),
            exitCode);
    Json object = toJson(result);
    addLeftOut(report.all.time, report.time, object["overall"]);
    addLeftOut(report.all.memory, report.memory, object["memory"]);
    if (extras.leftOut)
        object["k_fold"] = toJson(*extras.leftOut);
    if (extras.fits)
        object["failures"] = toJson(*extras.fits);
    return deliverJson(object, exitCode);
}

} // namespace

int runValidate(const ValidateArguments& arguments)
{
    Interruptible guard;
    std::optional<plan::SoftwareProfile> software;
    if (!arguments.profile.empty()) {
        auto profile = readProfile(arguments.profile);
        if (!profile)
            return refuse(profile.error(), arguments.json);
        software = std::move(*profile);
    }
    if (const int refused = checkOutput(arguments.page, arguments.json); refused != kAnswered)
        return refused;
    const auto cases = casesOf(arguments.cases, software, arguments.json);
    if (!cases)
        return cases.error();
    const auto failures = failuresOf(arguments, software);
    if (!failures)
        return failures.error();
    validation::Validation result =
        validate(*cases, guard.token(), [](int done, int total) { showProgress(done, total, "cases", 50); });
    Extras extras;
    if (arguments.kFold)
        extras.leftOut = leaveGroupsOut(*cases, software, guard.token());
    if (*failures)
        extras.fits = fitMatrix(result, **failures, guard.token());
    result.stopped = result.stopped || (extras.leftOut && extras.leftOut->stopped()) || guard.token().stop_requested();
    if (result.stopped)
        endProgress();
    if (!result.stopped && !arguments.page.empty())
        if (const auto written = writePage(arguments.page, *cases, result); !written)
            return refuse(written.error(), arguments.json);
    // Another profile for all cases is not what those left out were estimated with.
    const validation::ValidationReport report =
        software ? validation::ValidationReport() : validationReport(*cases, result);
    return deliverAnswer(result, report, extras, arguments.json);
}

} // namespace stratoplan::cli
