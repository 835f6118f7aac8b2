// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate_answer.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "core/calibration/own_runs.h"
#include "core/catalog/catalog_json.h"
#include "core/exchange/profile.h"
#include "core/reporting/run_faults.h"
#include "core/reporting/runs.h"
#include "core/units/format.h"
#include "core/units/text.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

namespace stratoplan::cli {

namespace {

using Json = nlohmann::ordered_json;

/// What a person measured, ready to fit.
struct OwnRuns {
    plan::SoftwareProfile start;
    std::vector<calibration::MeasuredRun> runs;
    std::vector<calibration::FaultyRun> skipped;
    std::vector<std::string> notes; ///< on whole files
    std::string names; ///< of the files
};

/// The plan that tables and logs change: that of --plan, a file or a shipped example, or the one that the table names.
tl::expected<std::optional<calibration::NamedPlan>, exchange::DocumentErrors> basePlan(
    const std::string& asked, const std::string& file, const std::string& text)
{
    if (asked.empty())
        return calibration::planNamedBy(text, std::filesystem::path(file).parent_path());
    const exchange::Example* const example = exchange::findExample(asked);
    auto document =
        example ? exchange::parseDocument(example->text, catalog::shippedCatalog(), asked) : readPlan(asked);
    return document.map([&asked](const exchange::Document& d) {
        return std::optional(calibration::NamedPlan{asked, d.project.plan});
    });
}

/// What several stacks measured is no profile of any of them. Says so, or nothing.
std::optional<exchange::DocumentError> unlikeStacks(
    const std::vector<calibration::MeasuredRun>& runs, const std::string& file)
{
    std::set<std::string> ids;
    for (const calibration::MeasuredRun& run : runs)
        ids.insert(run.plan.training.software.id);
    if (ids.size() < 2)
        return std::nullopt;
    std::string names;
    for (const std::string& id : ids)
        names += (names.empty() ? "" : ", ") + id;
    return exchange::DocumentError{exchange::DocumentError::Code::Schema, file, {},
        "rows of " + std::to_string(ids.size()) + " software profiles (" + shortened(names, 200) + ")",
        "rows of one, or --profile P for the one that they all share"};
}

void tellSkipped(const std::vector<calibration::FaultyRun>& skipped, const std::string& file)
{
    for (const calibration::FaultyRun& run : skipped) {
        const std::string reason = reporting::describe(run);
        complain("warning: " + file + ": left out: " + (reason.find(run.id) == 0 ? "" : run.id + ": ") + reason,
            app::LogLevel::Warning);
    }
}

/// The runs of one file, added to those of the others.
tl::expected<void, exchange::DocumentErrors> addFile(const CalibrateArguments& arguments, const std::string& file,
    const std::string& text, const std::optional<plan::SoftwareProfile>& software, OwnRuns& ownRuns)
{
    calibration::RunContext context{.file = inputName(file), .plan = nullptr, .planName = {}, .software = software};
    const calibration::RunText kind = calibration::recogniseRunText(text);
    const bool ownPlans = kind == calibration::RunText::Cases;
    if (ownPlans && !arguments.plan.empty() && arguments.rows.size() == 1)
        return tl::unexpected(exchange::DocumentErrors{{exchange::DocumentError::Code::Schema, "--plan", {},
            '"' + arguments.plan + "\" with measured cases (JSON)", "no plan: each case has its own"}});
    const auto plan = ownPlans ? tl::expected<std::optional<calibration::NamedPlan>, exchange::DocumentErrors>()
                               : basePlan(arguments.plan, file, text);
    if (!plan)
        return tl::unexpected(plan.error());
    if (*plan) {
        context.plan = &(*plan)->plan;
        context.planName = (*plan)->name;
    }
    auto table = readRuns(text, context);
    if (!table)
        return tl::unexpected(reporting::documentErrors(table.error()));
    tellSkipped(table->faulty, context.file);
    for (const std::string& column : table->unknownColumns) {
        const std::string remark = reporting::unknownColumn(column);
        complain("note: " + context.file + ": " + remark, app::LogLevel::Info);
        ownRuns.notes.push_back(context.file + ": " + remark);
    }
    for (calibration::MeasuredRun& run : table->runs) {
        for (const calibration::RunDoubt& doubt : run.doubts)
            complain("warning: " + run.id + ": " + reporting::describe(doubt), app::LogLevel::Warning);
        if (kind == calibration::RunText::MegatronLog)
            for (const calibration::RunRemark& remark : run.remarks)
                complain("note: " + run.id + ": " + reporting::describe(remark), app::LogLevel::Info);
        ownRuns.runs.push_back(std::move(run));
    }
    ownRuns.skipped.insert(ownRuns.skipped.end(), table->faulty.begin(), table->faulty.end());
    ownRuns.names += (ownRuns.names.empty() ? "" : ", ") + std::filesystem::path(context.file).filename().string();
    return {};
}

tl::expected<OwnRuns, exchange::DocumentErrors> readFiles(
    const CalibrateArguments& arguments, const std::vector<std::string>& texts)
{
    std::optional<plan::SoftwareProfile> software;
    if (!arguments.profile.empty()) {
        const auto profile = readProfile(arguments.profile);
        if (!profile)
            return tl::unexpected(profile.error());
        software = *profile;
    }
    OwnRuns ownRuns;
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (const auto added = addFile(arguments, arguments.rows[i], texts[i], software, ownRuns); !added)
            return tl::unexpected(added.error());
    std::erase_if(ownRuns.runs, [](const calibration::MeasuredRun& run) { return !run.stepSeconds && !run.peakGib; });
    if (ownRuns.runs.empty())
        return tl::unexpected(exchange::DocumentErrors{{exchange::DocumentError::Code::Schema, shortened(ownRuns.names),
            {}, "no measured run", "at least one row with a step time or a peak of memory"}});
    if (const auto fault = software ? std::nullopt : unlikeStacks(ownRuns.runs, shortened(ownRuns.names, 200)))
        return tl::unexpected(exchange::DocumentErrors{*fault});
    ownRuns.start = software ? *software : ownRuns.runs.front().plan.training.software;
    return ownRuns;
}

/// The constants that changed, as files write them, with what the rows taught of each.
Json changedConstants(const plan::SoftwareProfile& before, const calibration::FittedProfile& fitted)
{
    const Json from = catalog::toJson(before, catalog::Catalog{});
    const Json to = catalog::toJson(fitted.profile, catalog::Catalog{});
    Json changed = Json::array();
    for (const auto& [name, value] : to.items()) {
        if (!value.is_number() || !from.contains(name) || from.at(name) == value)
            continue;
        Json constant{{"key", name}, {"before", from.at(name)}, {"after", value}};
        for (const calibration::Calibration* c : {&fitted.time, &fitted.memory})
            for (const calibration::FittedParameter& p : c->parameters)
                if (p.key == name)
                    constant.update(
                        {{"prior_spread", p.priorSpread}, {"spread", p.spread}, {"scale", p.share ? "logit" : "log"}});
        changed.push_back(std::move(constant));
    }
    return changed;
}

std::string constantsTable(const Json& changed)
{
    using enum Align;
    Table table({Left, Right, Right, Right, Right}, 0);
    table.heading({"Constant", "before", "fitted", "prior ±", "now ±"});
    const auto spread = [](const Json& constant, const char* name) {
        return constant.contains(name) ? formatShare(constant.at(name).get<double>()) : std::string("–");
    };
    for (const Json& constant : changed)
        table.row({constant.at("key").get<std::string>(), formatNumber(constant.at("before").get<double>()),
            formatNumber(constant.at("after").get<double>()), spread(constant, "prior_spread"),
            spread(constant, "spread")});
    return table.text();
}

/// Mean, bias and worst of one kind, before, after and left out.
std::string statisticsTable(const calibration::FittedProfile& fitted)
{
    using enum Align;
    Table table({Left, Left, Right, Right, Right, Right, Left}, 0);
    table.heading({"Error of", "", "rows", "mean", "bias", "worst", "in"});
    for (const auto& [what, c] : {std::pair("time", &fitted.time), std::pair("memory", &fitted.memory)})
        for (const auto& [when, e] :
            {std::pair("before", &c->before), std::pair("fitted", &c->after), std::pair("left out", &c->leftOut)})
            if (e->n > 0)
                table.row({what, when, grouped(e->n), formatShare(e->meanAbs), signedShare(e->bias),
                    signedShare(e->worst), shortened(e->worstId, 40)});
    return table.text();
}

std::string rowsTable(const std::vector<calibration::MeasuredRun>& runs, const calibration::Calibration& c,
    plan::CalibrationTarget target)
{
    using enum Align;
    const auto value = [&](double amount) {
        return target == plan::CalibrationTarget::StepTime ? format(Seconds(amount)) : format(Bytes(amount * kGiB));
    };
    Table table({Left, Right, Right, Right, Right, Right, Right}, 0);
    table.heading({target == plan::CalibrationTarget::StepTime ? "Step time" : "Peak memory", "measured", "before",
        "error", "fitted", "error", "left out"});
    for (const calibration::FittedRow& row : c.rows)
        table.row({shortened(runs[row.run].id, 48), value(row.measured), value(row.before),
            signedShare(row.before / row.measured - 1), value(row.after), signedShare(row.after / row.measured - 1),
            row.leftOut ? signedShare(*row.leftOut / row.measured - 1) : std::string("–")});
    return c.rows.empty() ? std::string() : '\n' + table.text();
}

std::string textAnswer(const OwnRuns& ownRuns, const calibration::OwnFit& fit, const Json& constants)
{
    std::string text = fit.stopped ? "Stopped before done, no profile written.\n\n" : "";
    text += "Error is estimated / measured - 1. Left out: each strategy, or each row, estimated with constants fitted "
            "on the others.\n\n"
        + statisticsTable(fit.fitted) + rowsTable(ownRuns.runs, fit.fitted.time, plan::CalibrationTarget::StepTime)
        + rowsTable(ownRuns.runs, fit.fitted.memory, plan::CalibrationTarget::PeakMemory) + '\n'
        + constantsTable(constants);
    return text;
}

Json rowsJson(const std::vector<calibration::MeasuredRun>& runs)
{
    Json rows = Json::array();
    for (const calibration::MeasuredRun& run : runs)
        rows.push_back(
            {{"id", run.id}, {"place", run.place}, {"step_s", run.stepSeconds ? Json(*run.stepSeconds) : Json(nullptr)},
                {"peak_gib", run.peakGib ? Json(*run.peakGib) : Json(nullptr)}, {"stated", run.stated},
                {"filled", run.filled}, {"remarks", reporting::describeAll(run.remarks)},
                {"doubts", reporting::describeAll(run.doubts)}});
    return rows;
}

Json answerOf(const OwnRuns& ownRuns, const calibration::OwnFit& fit, Json constants)
{
    Json skipped = Json::array();
    for (const calibration::FaultyRun& run : ownRuns.skipped)
        skipped.push_back({{"id", run.id}, {"reason", reporting::describe(run)}});
    Json answer{{"file", nullptr}, {"n_rows", ownRuns.runs.size()}, {"skipped", std::move(skipped)}};
    answer["rows"] = rowsJson(ownRuns.runs);
    answer["time"] = calibrationJson(fit.fitted.time);
    answer["memory"] = calibrationJson(fit.fitted.memory);
    answer["notes"] = ownRuns.notes;
    answer["constants"] = std::move(constants);
    answer["unexplained"] = reporting::describeAll(fit.faults);
    answer["warnings"] = reporting::describeAll(fit.warnings);
    answer["profile"] = catalog::toJson(fit.fitted.profile, catalog::Catalog{});
    return answer;
}

} // namespace

int calibrateRuns(const CalibrateArguments& arguments)
{
    Interruptible guard;
    std::vector<std::string> texts;
    for (const std::string& file : arguments.rows) {
        auto text = readText(file);
        if (!text)
            return refuse(text.error(), arguments.json);
        if (calibration::recogniseRunText(*text) == calibration::RunText::KernelProfile)
            return calibrateKernelFile(arguments, *text, guard.token());
        texts.push_back(std::move(*text));
    }
    const auto ownRuns = readFiles(arguments, texts);
    if (!ownRuns)
        return refuse(ownRuns.error(), arguments.json);
    const calibration::OwnFit fit = fitOwnRuns(ownRuns->start, ownRuns->runs, shortened(ownRuns->names, 200),
        guard.token(), [](int done, int total) { showProgress(done, total, "fits"); });
    for (const std::string& sentence : reporting::doubtsOf(fit))
        complain("warning: " + sentence, app::LogLevel::Warning);
    if (fit.refusal)
        return refuse(exchange::DocumentError{exchange::DocumentError::Code::Schema, shortened(ownRuns->names, 200), {},
                          "rows whose fit no plan can use (" + reporting::describe(*fit.refusal) + ")",
                          "rows that one set of constants explains; nothing was written"},
            arguments.json);
    const Json constants = changedConstants(ownRuns->start, fit.fitted);
    return finishCalibration(arguments, exchange::writeProfile(fit.fitted.profile), fit.stopped,
        textAnswer(*ownRuns, fit, constants), answerOf(*ownRuns, fit, constants));
}

} // namespace stratoplan::cli
