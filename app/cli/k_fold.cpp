// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/k_fold.h"

#include "app/cli/interrupt.h"
#include "app/cli/table.h"
#include "core/calibration/case_runs.h"
#include "core/calibration/evidence_rows.h"
#include "core/calibration/shipped.h"
#include "core/reporting/runs.h"
#include "core/units/format.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const calibration::CrossValidation& v)
{
    Json groupings = Json::object();
    for (const calibration::LeftOutErrors& errors : v.groupings)
        groupings[std::string(reporting::describe(errors.grouping))] = {
            {"groups", errors.groups}, {"fit", cli::toJson(errors.fit)}, {"left_out", cli::toJson(errors.leftOut)}};
    return {{"prior", cli::toJson(v.prior)}, {"fit", cli::toJson(v.fit)}, {"left_out_by", std::move(groupings)}};
}

std::string describe(const char* title, const calibration::CrossValidation& v)
{
    if (v.fit.n == 0)
        return {};
    using enum Align;
    Table table({Left, Right, Right, Right, Right, Right, Right, Right}, 0);
    table.heading({title, "cases", "groups", "priors", "fit", "left out", "bias", "worst"});
    table.row({"All", grouped(v.fit.n), "", formatShare(v.prior.meanAbs), formatShare(v.fit.meanAbs), "",
        signedShare(v.fit.bias), signedShare(v.fit.worst)});
    for (const calibration::LeftOutErrors& errors : v.groupings) {
        if (errors.leftOut.n > 0)
            table.row({"By " + std::string(reporting::describe(errors.grouping)), grouped(errors.leftOut.n),
                grouped(errors.groups), "", formatShare(errors.fit.meanAbs), formatShare(errors.leftOut.meanAbs),
                signedShare(errors.leftOut.bias), signedShare(errors.leftOut.worst)});
    }
    return '\n' + table.text();
}

Json toJson(const validation::FamilyCoverage& familyCoverage)
{
    return {{"n", familyCoverage.n}, {"model_shape_left_out", familyCoverage.byGroup},
        {"source_left_out", familyCoverage.bySource}, {"mean_width", familyCoverage.width}};
}

Json toJson(const validation::RangeCoverage& coverage)
{
    Json families = Json::object();
    for (const validation::FamilyCoverage& familyCoverage : coverage.families)
        families[familyCoverage.family] = toJson(familyCoverage);
    return {{"overall", toJson(coverage.overall)}, {"families", std::move(families)}};
}

std::string describe(const validation::RangeCoverage& coverage, const std::string& quantity)
{
    if (coverage.overall.n == 0)
        return {};
    using enum Align;
    Table table({Left, Right, Right, Right, Right}, 0);
    table.heading(
        {"Inside the 80 % range of " + quantity, "cases", "model shape left out", "source left out", "mean width"});
    const auto row = [&](const std::string& name, const validation::FamilyCoverage& familyCoverage) {
        table.row({name, grouped(familyCoverage.n), formatShare(familyCoverage.byGroup),
            formatShare(familyCoverage.bySource), formatShare(familyCoverage.width)});
    };
    for (const validation::FamilyCoverage& familyCoverage : coverage.families)
        row(familyCoverage.family, familyCoverage);
    table.rule();
    row("All", coverage.overall);
    return '\n' + table.text();
}

} // namespace

KFold leaveGroupsOut(
    const validation::CaseSet& cases, const std::optional<plan::SoftwareProfile>& software, std::stop_token stop)
{
    const std::vector<calibration::MeasuredRun> runs = calibration::runsOfKnownStacks(cases);
    const std::vector<plan::SoftwareProfile> priors = software ? std::vector{*software} : calibration::shippedPriors();
    const auto progress = [](int done, int total) { showProgress(done, total, "fits"); };
    KFold result;
    result.memory = crossValidate(runs, priors, plan::CalibrationTarget::PeakMemory, stop, progress);
    result.time = crossValidate(runs, priors, plan::CalibrationTarget::StepTime, stop, progress);
    if (!stop.stop_requested()) {
        const auto evidence = calibration::leftOutEvidence(
            cases, priors, stop, [](int done, int total) { showProgress(done, total, "profiles left out"); });
        result.range = validation::rangeCoverage(evidence);
        result.memoryRange = validation::rangeCoverage(evidence, estimate::Measure::PeakMemory);
    }
    return result;
}

Json toJson(const calibration::FitErrors& e)
{
    return {{"n", e.n}, {"mean_abs_error", e.meanAbs}, {"bias", e.bias}, {"worst", e.worst}, {"worst_id", e.worstId}};
}

Json toJson(const KFold& result)
{
    return {{"time", toJson(result.time)}, {"memory", toJson(result.memory)}, {"range", toJson(result.range)},
        {"memory_range", toJson(result.memoryRange)}};
}

std::string describe(const KFold& result)
{
    std::string text = "\nMean absolute error of constants fitted to these cases, and with groups of cases left out of "
                       "the fit: each group whole,"
                       " in at most "
        + std::to_string(calibration::kMostFolds) + " folds" + (result.stopped() ? " (stopped before done)\n" : "\n");
    return text + describe("Step time", result.time) + describe("Peak memory", result.memory)
        + describe(result.range, "step time") + describe(result.memoryRange, "peak memory");
}

} // namespace stratoplan::cli
