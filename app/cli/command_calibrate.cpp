// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate_answer.h"
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/calibration/case_runs.h"
#include "core/calibration/evidence_rows.h"
#include "core/catalog/catalog_json.h"
#include "core/validation/validation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string catalogText(const std::vector<calibration::FittedProfile>& profiles)
{
    Json entries = Json::array();
    for (const calibration::FittedProfile& p : profiles)
        entries.push_back(catalog::toJson(p.profile, catalog::Catalog{}));
    return Json{{"license", "Apache-2.0"}, {"entries", std::move(entries)}}.dump(2) + '\n';
}

/// The profiles of a file like resources/catalog/software_priors.json.
tl::expected<std::vector<plan::SoftwareProfile>, exchange::DocumentErrors> readPriors(const std::string& argument)
{
    const auto text = readText(argument);
    if (!text)
        return tl::unexpected(text.error());
    constexpr std::string_view kName = "software.json"; // how the catalogue's reader knows what the entries are
    const catalog::EmbeddedFile file{kName, *text};
    auto catalog = catalog::parseCatalog({&file, 1});
    if (catalog)
        return std::move(catalog->software);
    const catalog::CatalogError& error = catalog.error();
    return tl::unexpected(exchange::DocumentErrors{{exchange::DocumentError::Code::Schema, inputName(argument),
        error.pointer.substr(kName.size() + 1), error.found, error.expected}});
}

/// The shipped software profiles, made anew from their priors and the shipped measured cases.
int calibrateShipped(const CalibrateArguments& arguments)
{
    Interruptible guard;
    auto priors = readPriors(arguments.priors);
    if (!priors)
        return refuse(priors.error(), arguments.json);
    catalog::Catalog catalog = catalog::shippedCatalog();
    catalog.software = std::move(*priors);
    const auto cases = validation::readCases(validation::shippedCases(), catalog);
    if (!cases)
        return refuse(cases.error(), arguments.json);
    const std::vector<calibration::FittedProfile> profiles =
        fitProfiles(catalog.software, calibration::runsOfKnownStacks(*cases), guard.token());
    std::vector<estimate::EvidenceRow> evidence;
    if (!arguments.evidence.empty())
        evidence = calibration::leftOutEvidence(*cases, catalog.software, guard.token(),
            [](int done, int total) { showProgress(done, total, "profiles left out"); });
    const bool stopped = guard.token().stop_requested();
    const std::string text =
        "Mean absolute error; left out: each model shape estimated with constants fitted on the others"
        + std::string(stopped ? " (stopped before done, nothing written)" : "") + "\n\n"
        + errorTable(profiles, "priors");
    Json list = Json::array();
    for (const calibration::FittedProfile& p : profiles)
        list.push_back(
            {{"id", p.profile.id}, {"time", calibrationJson(p.time)}, {"memory", calibrationJson(p.memory)}});
    if (!stopped && !arguments.evidence.empty())
        if (const int written = writeOutput(arguments.evidence, writeEvidence(evidence), arguments.json);
            written != kAnswered)
            return written;
    return finishCalibration(
        arguments, catalogText(profiles), stopped, text, Json{{"file", nullptr}, {"profiles", std::move(list)}});
}

/// Where no profile is asked for. A missing file comes first: it is what a person looks at.
int refuseOutput(const CalibrateArguments& arguments)
{
    for (const std::string& file : arguments.rows)
        if (file != "-")
            if (const auto text = readText(file); !text)
                return refuse(text.error(), arguments.json);
    return refuse("--output", "nothing", "profile to write", arguments.json);
}

/// What is given for the shipped profiles but the runs are a person's own, or the other way round.
int checkInput(const CalibrateArguments& arguments)
{
    const auto unused = [&](const char* flag, const std::string& value, const std::string& expected) {
        return refuse(flag, '"' + value + '"' + (arguments.shipped ? " with --shipped" : " without --shipped"),
            expected, arguments.json);
    };
    if (arguments.shipped) {
        for (const auto& [name, value] :
            {std::pair("ROWS", arguments.rows.empty() ? std::string() : arguments.rows.front()),
                std::pair("--plan", arguments.plan), std::pair("--profile", arguments.profile)})
            if (!value.empty())
                return unused(name, value, "nothing: it fits every prior to the shipped cases");
        if (arguments.priors.empty())
            return refuse("--priors", "nothing", "the profiles to start from: resources/catalog/software_priors.json",
                arguments.json);
    } else if (!arguments.priors.empty()) {
        return unused("--priors", arguments.priors, "--profile P for the profile to start from");
    } else if (!arguments.evidence.empty()) {
        return unused("--evidence", arguments.evidence,
            "nothing: the errors behind the ranges are those of the shipped profiles");
    } else if (arguments.rows.empty()) {
        return refuse("ROWS", "nothing",
            "a file of measured runs: a table (CSV), a Megatron-LM log or measured cases (JSON), - for standard input",
            arguments.json);
    }
    return kAnswered;
}

} // namespace

int runCalibrate(const CalibrateArguments& arguments)
{
    if (arguments.output.empty())
        return refuseOutput(arguments);
    if (!arguments.kernels.empty()) {
        if (arguments.shipped || !arguments.rows.empty())
            return refuse("--kernels", '"' + arguments.kernels + "\" with other input",
                "--kernels DIR and -o FILE alone", arguments.json);
        return runCalibrateKernels(arguments);
    }
    if (const int refused = checkInput(arguments); refused != kAnswered)
        return refused;
    if (std::count(arguments.rows.begin(), arguments.rows.end(), "-") > 1)
        return refuse("ROWS", "\"-\" twice", "standard input once", arguments.json);
    if (arguments.output == "-")
        return refuse("--output", "\"-\"", "a file: standard output takes the errors before and after", arguments.json);
    for (const std::string* file : {&arguments.output, &arguments.evidence})
        if (const int refused = checkOutput(*file, arguments.json); refused != kAnswered)
            return refused;
    return arguments.shipped ? calibrateShipped(arguments) : calibrateRuns(arguments);
}

} // namespace stratoplan::cli
