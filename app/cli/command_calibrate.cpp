// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/k_fold.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "core/calibration/case_runs.h"
#include "core/calibration/run_table.h"
#include "core/calibration/shipped.h"
#include "core/catalog/catalog_json.h"
#include "core/exchange/profile.h"
#include "core/units/format.h"
#include "core/units/text.h"
#include "core/validation/validation.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

/// What a person measured, ready to fit.
struct OwnRuns {
    SoftwareProfile start;
    std::vector<MeasuredRun> runs;
    std::vector<SkippedCase> skipped;
};

Json toJson(const Calibration& c)
{
    return {{"before", cli::toJson(c.before)}, {"after", cli::toJson(c.after)}, {"left_out", cli::toJson(c.leftOut)},
        {"converged", c.converged}};
}

Json orNull(const Calibration& c)
{
    return c.after.n > 0 ? toJson(c) : Json(nullptr);
}

void addRow(Table& table, const std::string& name, const char* what, const Calibration& c)
{
    if (c.after.n == 0)
        return;
    table.row({name, what, grouped(c.after.n), formatShare(c.before.meanAbs), formatShare(c.after.meanAbs),
        c.leftOut.n > 0 ? formatShare(c.leftOut.meanAbs) : std::string("–"), signedShare(c.after.bias),
        c.converged ? std::string() : std::string("not converged")});
}

std::string errorTable(const std::vector<FittedProfile>& profiles, const char* start)
{
    using enum Align;
    Table table({Left, Left, Right, Right, Right, Right, Right, Left}, 0);
    table.heading({"Profile", "of", "rows", start, "fitted", "left out", "bias", ""});
    for (const FittedProfile& p : profiles) {
        addRow(table, p.profile.id, "time", p.time);
        addRow(table, p.profile.id, "memory", p.memory);
    }
    return table.text();
}

/// The constants that changed, as files write them.
Json changedConstants(const SoftwareProfile& before, const SoftwareProfile& after)
{
    const Json from = stratoplan::toJson(before, Catalog{});
    const Json to = stratoplan::toJson(after, Catalog{});
    Json changed = Json::array();
    for (const auto& [name, value] : to.items()) {
        if (value.is_number() && from.contains(name) && from.at(name) != value)
            changed.push_back({{"key", name}, {"before", from.at(name)}, {"after", value}});
    }
    return changed;
}

std::string constantsTable(const Json& changed)
{
    using enum Align;
    Table table({Left, Right, Right}, 0);
    table.heading({"Constant", "before", "fitted"});
    for (const Json& one : changed)
        table.row(
            {one.at("key").get<std::string>(), formatNumber(one.at("before").get<double>()), formatNumber(one.at("after").get<double>())});
    return table.text();
}

/// The plan that the lines of a table change: a file, or a shipped example. A table names its plan from its own folder.
tl::expected<Plan, DocumentErrors> basePlan(const CalibrateArguments& arguments, const std::string& csv)
{
    const std::string named = namedPlan(csv);
    std::string plan = arguments.plan;
    if (plan.empty() && !named.empty()) {
        const bool file = !findExample(named);
        plan = file ? (std::filesystem::path(arguments.rows).parent_path() / named).string() : named;
    }
    if (plan.empty()) {
        return tl::unexpected(DocumentErrors{{DocumentError::Code::Schema, inputName(arguments.rows), {}, "no plan that the rows change",
            "--plan PLAN, or a line \"# plan: PLAN\" in the table (PLAN: a file or a shipped example)"}});
    }
    if (const Example* example = findExample(plan))
        return parseDocument(example->text, shippedCatalog(), plan).map([](const Document& document) { return document.project.plan; });
    return readPlan(plan).map([](const Document& document) { return document.project.plan; });
}

tl::expected<OwnRuns, DocumentErrors> readTable(const CalibrateArguments& arguments, const std::string& text)
{
    const auto plan = basePlan(arguments, text);
    if (!plan)
        return tl::unexpected(plan.error());
    auto table = readRunTable(text, *plan, inputName(arguments.rows));
    if (!table)
        return tl::unexpected(DocumentErrors{table.error()});
    OwnRuns own{plan->training.software, std::move(table->runs), {}};
    for (FaultyRun& faulty : table->faulty)
        own.skipped.push_back({std::move(faulty.id), std::move(faulty.reason)});
    return own;
}

/// What several stacks measured is no profile of any of them. Says so, or nothing.
std::optional<DocumentError> unlikeStacks(const std::vector<MeasuredRun>& runs, const std::string& file)
{
    std::set<std::string> ids;
    for (const MeasuredRun& run : runs)
        ids.insert(run.plan.training.software.id);
    if (ids.size() < 2)
        return std::nullopt;
    std::string names;
    for (const std::string& id : ids)
        names += (names.empty() ? "" : ", ") + id;
    return DocumentError{DocumentError::Code::Schema, file, {},
        "rows of " + std::to_string(ids.size()) + " software profiles (" + shortened(names, 200) + ")",
        "rows of one, or --profile P for the one that they all share"};
}

tl::expected<OwnRuns, DocumentErrors> readCaseRows(
    const CalibrateArguments& arguments, const std::string& text, const std::optional<SoftwareProfile>& software)
{
    const auto cases = readCases(text, shippedCatalog(), {.file = inputName(arguments.rows), .software = software});
    if (!cases)
        return tl::unexpected(DocumentErrors{cases.error()});
    OwnRuns own{{}, runsOf(*cases), cases->skipped};
    if (const auto fault = unlikeStacks(own.runs, inputName(arguments.rows)))
        return tl::unexpected(DocumentErrors{*fault});
    if (!own.runs.empty())
        own.start = own.runs.front().plan.training.software;
    return own;
}

tl::expected<OwnRuns, DocumentErrors> readRows(const CalibrateArguments& arguments)
{
    const auto text = readText(arguments.rows);
    if (!text)
        return tl::unexpected(text.error());
    std::optional<SoftwareProfile> software;
    if (!arguments.profile.empty()) {
        const auto profile = readProfile(arguments.profile);
        if (!profile)
            return tl::unexpected(profile.error());
        software = *profile;
    }
    const std::size_t first = text->find_first_not_of(" \t\r\n");
    const bool json = first != std::string::npos && ((*text)[first] == '{' || (*text)[first] == '[');
    if (json && !arguments.plan.empty())
        return tl::unexpected(DocumentErrors{{DocumentError::Code::Schema, "--plan", {}, '"' + arguments.plan + "\" with measured cases (JSON)",
            "no plan: each case has its own"}});
    auto own = json ? readCaseRows(arguments, *text, software) : readTable(arguments, *text);
    if (own && software)
        own->start = *software;
    return own;
}

/// Rows left out together: one by one, or ten parts of a longer list.
std::vector<std::string> parts(std::size_t rows)
{
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < rows; ++i)
        labels.push_back(std::to_string(i % 10));
    return labels;
}

/// Writes what was fitted and gives the answer, which is not lost where the file is.
int finish(const CalibrateArguments& arguments, const std::string& content, bool stopped, const std::string& text, Json answer)
{
    int exitCode = stopped ? kStopped : kAnswered;
    if (!stopped) {
        if (const auto written = writeFileAtomically(arguments.output, content)) {
            answer["file"] = arguments.output;
        } else {
            answer["problems"] = tell({written.error()});
            exitCode = kBadInput;
        }
    } else {
        answer["stopped"] = true;
    }
    return arguments.json ? deliverJson(answer, exitCode) : deliver(text, exitCode);
}

void tellSkipped(const std::vector<SkippedCase>& skipped, const std::string& file)
{
    for (const SkippedCase& one : skipped)
        complain("warning: " + file + ": left out: " + (one.reason.find(one.id) == 0 ? "" : one.id + ": ") + one.reason, LogLevel::Warning);
}

int calibrateOwn(const CalibrateArguments& arguments)
{
    Interruptible guard;
    const std::string file = inputName(arguments.rows);
    auto own = readRows(arguments);
    if (!own)
        return refuse(own.error(), arguments.json);
    tellSkipped(own->skipped, file);
    std::erase_if(own->runs, [](const MeasuredRun& run) { return !run.stepSeconds && !run.peakGib; });
    if (own->runs.empty())
        return refuse(file, "no measured run", "at least one row with a step time or a peak of memory", arguments.json);
    FittedProfile fitted = fitProfile(own->start, own->runs, parts(own->runs.size()), 1, guard.token());
    const bool stopped = fitted.time.stopped || fitted.memory.stopped;
    fitted.profile.id = own->start.id + "-calibrated";
    fitted.profile.name = own->start.name + ", calibrated";
    fitted.profile.source = own->start.id + " fitted to " + std::to_string(own->runs.size()) + " measured runs of "
        + std::filesystem::path(file).filename().string();
    const Json constants = changedConstants(own->start, fitted.profile);
    const std::string text =
        "Mean absolute error; left out: each tenth of the rows, or each row, estimated with constants fitted on the others"
        + std::string(stopped ? " (stopped before done, no profile written)" : "") + "\n\n" + errorTable({fitted}, "before") + '\n'
        + constantsTable(constants);
    Json skipped = Json::array();
    for (const SkippedCase& one : own->skipped)
        skipped.push_back({{"id", one.id}, {"reason", one.reason}});
    Json answer{{"file", nullptr}, {"n_rows", own->runs.size()}, {"skipped", std::move(skipped)}};
    answer["time"] = orNull(fitted.time);
    answer["memory"] = orNull(fitted.memory);
    answer["constants"] = constants;
    answer["profile"] = stratoplan::toJson(fitted.profile, Catalog{});
    return finish(arguments, writeProfile(fitted.profile), stopped, text, std::move(answer));
}

std::string catalogText(const std::vector<FittedProfile>& profiles)
{
    Json entries = Json::array();
    for (const FittedProfile& p : profiles)
        entries.push_back(stratoplan::toJson(p.profile, Catalog{}));
    return Json{{"license", "Apache-2.0"}, {"entries", std::move(entries)}}.dump(2) + '\n';
}

/// The profiles of a file like resources/catalog/software_priors.json.
tl::expected<std::vector<SoftwareProfile>, DocumentErrors> readPriors(const std::string& argument)
{
    const auto text = readText(argument);
    if (!text)
        return tl::unexpected(text.error());
    constexpr std::string_view kName = "software.json"; // how the catalogue's reader knows what the entries are
    const EmbeddedFile file{kName, *text};
    auto catalog = parseCatalog({&file, 1});
    if (catalog)
        return std::move(catalog->software);
    const CatalogError& error = catalog.error();
    return tl::unexpected(DocumentErrors{
        {DocumentError::Code::Schema, inputName(argument), error.pointer.substr(kName.size() + 1), error.found, error.expected}});
}

/// The shipped software profiles, made anew from their priors and the shipped measured cases.
int calibrateShipped(const CalibrateArguments& arguments)
{
    Interruptible guard;
    auto priors = readPriors(arguments.priors);
    if (!priors)
        return refuse(priors.error(), arguments.json);
    Catalog catalog = shippedCatalog();
    catalog.software = std::move(*priors);
    const auto cases = readCases(shippedCases(), catalog);
    if (!cases)
        return refuse(DocumentErrors{cases.error()}, arguments.json);
    const std::vector<FittedProfile> profiles = fitProfiles(catalog.software, runsOfKnownStacks(*cases), guard.token());
    const bool stopped = guard.token().stop_requested();
    const std::string text = "Mean absolute error; left out: each model shape estimated with constants fitted on the others"
        + std::string(stopped ? " (stopped before done, nothing written)" : "") + "\n\n" + errorTable(profiles, "priors");
    Json list = Json::array();
    for (const FittedProfile& p : profiles)
        list.push_back({{"id", p.profile.id}, {"time", orNull(p.time)}, {"memory", orNull(p.memory)}});
    return finish(arguments, catalogText(profiles), stopped, text, Json{{"file", nullptr}, {"profiles", std::move(list)}});
}

} // namespace

int runCalibrate(const CalibrateArguments& arguments)
{
    const auto unused = [&](const char* flag, const std::string& value, const std::string& expected) {
        return refuse(flag, '"' + value + '"' + (arguments.shipped ? " with --shipped" : " without --shipped"), expected, arguments.json);
    };
    if (arguments.shipped) {
        for (const auto& [name, value] :
            {std::pair("ROWS", arguments.rows), std::pair("--plan", arguments.plan), std::pair("--profile", arguments.profile)})
            if (!value.empty())
                return unused(name, value, "nothing: it fits every prior to the shipped cases");
        if (arguments.priors.empty())
            return refuse("--priors", "nothing", "the profiles to start from: resources/catalog/software_priors.json", arguments.json);
    } else if (!arguments.priors.empty()) {
        return unused("--priors", arguments.priors, "--profile P for the profile to start from");
    }
    if (!arguments.shipped && arguments.rows.empty())
        return refuse(
            "ROWS", "nothing", "a file of measured runs: a table (CSV) or measured cases (JSON), - for standard input", arguments.json);
    if (arguments.output == "-")
        return refuse("--output", "\"-\"", "a file: standard output takes the errors before and after", arguments.json);
    if (const auto writable = checkWritable(arguments.output); !writable)
        return refuse(DocumentErrors{writable.error()}, arguments.json);
    return arguments.shipped ? calibrateShipped(arguments) : calibrateOwn(arguments);
}

} // namespace stratoplan::cli
