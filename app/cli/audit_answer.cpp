// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/audit_answer.h"

#include "app/cli/summary.h"
#include "app/cli/table.h"
#include "core/exchange/estimate_json.h"
#include "core/narration/spaces.h"
#include "core/reporting/audits.h"
#include "core/reporting/signed_share.h"
#include "core/units/format.h"
#include "core/units/sentence.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace stratoplan::cli {

using Json = nlohmann::ordered_json;

namespace {

Json secondsOrNull(const std::optional<Seconds>& seconds)
{
    return seconds ? Json(seconds->value()) : Json(nullptr);
}

Json causesJson(const audit::Audit& audit)
{
    Json rows = Json::array();
    for (const audit::CauseRow& row : audit.rows) {
        Json json{{"cause", key(row.cause)}, {"measured_s", secondsOrNull(row.measured)},
            {"estimated_s", row.estimated.value()},
            {"difference_s", row.measured ? Json(row.difference.value()) : Json(nullptr)},
            {"share", row.measured ? Json(row.share) : Json(nullptr)}};
        if (audit::isCommunication(row.cause)) {
            json["hidden_measured_s"] = secondsOrNull(row.hiddenMeasured);
            json["hidden_estimated_s"] = row.hiddenEstimated.value();
        }
        rows.push_back(std::move(json));
    }
    return rows;
}

Json stepJson(const audit::MeasuredStep& step)
{
    constexpr std::array kSources{"device_marks", "host_marks", "optimizer_kernels", "whole_range"};
    Json kernels = Json::array(), collectives = Json::array();
    for (const audit::KernelTotal& kernel : step.kernels)
        kernels.push_back({{"name", kernel.name}, {"cause", key(kernel.cause)}, {"seconds", kernel.seconds},
            {"count", kernel.count}});
    for (const audit::CollectiveTotal& total : step.collectives)
        collectives.push_back({{"collective", key(total.collective)}, {"axis", key(total.axis)},
            {"seconds", total.seconds}, {"count", total.count}});
    return {{"step_s", step.step.value()}, {"source", kSources[std::size_t(step.source)]}, {"number", step.number},
        {"steps_s", step.steps}, {"device", step.device}, {"rank", step.rank ? Json(*step.rank) : Json(nullptr)},
        {"attention_forward", step.attentionForward}, {"attention_backward", step.attentionBackward},
        {"kernels", std::move(kernels)}, {"collectives", std::move(collectives)}};
}

Json mfuJson(const audit::Audit& audit)
{
    const audit::MfuTable& table = audit.mfu;
    Json flops = Json::array(), peaks = Json::array(), values = Json::array();
    for (const auto& [convention, amount] : table.flops)
        flops.push_back({{"convention", key(convention)}, {"flops", amount.value()}});
    for (const audit::PeakConvention& peak : table.peaks)
        peaks.push_back({{"peak", peak.key()}, {"flops_per_s", peak.rate.value()}, {"sparse", peak.isSparse}});
    const auto isMatch = [&](std::size_t i) {
        return std::ranges::find(audit.quotedMatches.matching, i) != audit.quotedMatches.matching.end();
    };
    for (std::size_t i = 0; i < table.values.size(); ++i) {
        const audit::MfuValue& value = table.values[i];
        values.push_back({{"flops", key(value.flops)}, {"peak", table.peaks[value.peak].key()}, {"mfu", value.mfu},
            {"matches", audit.quoted && isMatch(i)}});
    }
    return {{"step_s", table.step.value()}, {"quoted", audit.quoted ? Json(audit.quoted->mfu) : Json(nullptr)},
        {"flops", std::move(flops)}, {"peaks", std::move(peaks)}, {"values", std::move(values)}};
}

Json listsJson(const audit::Audit& audit)
{
    Json findings = Json::array(), settings = Json::array(), edits = Json::array();
    for (const audit::Finding& finding : audit.findings)
        findings.push_back(
            {{"code", key(finding.code)}, {"cause", key(finding.cause)}, {"seconds", finding.seconds.value()},
                {"amount", finding.amount}, {"expected", finding.expected}, {"text", reporting::describe(finding)}});
    for (const audit::SettingFinding& setting : audit.settings)
        settings.push_back({{"setting", key(setting.setting)}, {"name", setting.name}, {"found", setting.found},
            {"recommended", setting.recommended}, {"source", setting.source}, {"text", reporting::describe(setting)}});
    for (const audit::PlanEdit& edit : audit.edits)
        edits.push_back({{"text", reporting::describe(edit, audit.estimate.step)}, {"step_s", edit.step.value()},
            {"gain_s", edit.gain.value()}, {"strategy", exchange::toJson(edit.plan.strategy)}});
    return {{"findings", std::move(findings)}, {"settings", std::move(settings)}, {"edits", std::move(edits)}};
}

std::string causeTable(const audit::Audit& audit)
{
    using enum Align;
    Table table({Left, Right, Right, Right, Right, Left});
    table.heading({"Cause", "Measured", "Estimated", "Difference", "Of step", "Hidden, measured / estimated"});
    const auto signedSeconds = [](Seconds value) {
        return value.value() < 0 ? "−" + format(-value) : '+' + format(value);
    };
    for (const audit::CauseRow& row : audit.rows) {
        const bool isMeasured = row.measured.has_value();
        const bool hides = row.hiddenEstimated.value() > 0 || row.hiddenMeasured.value_or(Seconds{}).value() > 0;
        table.row({asSentence(std::string(reporting::describe(row.cause))), isMeasured ? format(*row.measured) : "–",
            format(row.estimated), isMeasured ? signedSeconds(row.difference) : "–",
            isMeasured ? formatShare(row.share) : "–",
            !hides ? ""
                   : (row.hiddenMeasured ? format(*row.hiddenMeasured) : "–") + " / " + format(row.hiddenEstimated)});
    }
    table.rule();
    Seconds estimated{};
    for (const audit::CauseRow& row : audit.rows)
        estimated += row.estimated;
    table.row({"Step", audit.step ? format(audit.step->step) : "–", format(estimated),
        audit.step ? signedSeconds(audit.step->step - estimated) : "–"});
    return table.text();
}

std::string mfuTableText(const audit::Audit& audit)
{
    const audit::MfuTable& mfu = audit.mfu;
    const std::size_t shown = std::min<std::size_t>(mfu.peaks.size(), 4);
    std::vector<Align> columns(shown + 1, Align::Right);
    columns.front() = Align::Left;
    Table table(std::move(columns));
    std::vector<std::string> heading{"FLOPs"};
    for (std::size_t i = 0; i < shown; ++i)
        heading.push_back(reporting::describe(mfu.peaks[i]));
    table.heading(std::move(heading));
    for (const auto& [convention, flops] : mfu.flops) {
        std::vector<std::string> row{asSentence(std::string(reporting::describe(convention)))};
        for (const audit::MfuValue& value : mfu.values)
            if (value.flops == convention && value.peak < shown)
                row.push_back(formatShare(value.mfu));
        table.row(std::move(row));
    }
    return table.text();
}

/// A heading, and a line for each text; nothing where there is none.
std::string listText(const std::string& heading, const std::vector<std::string>& lines)
{
    std::string text = lines.empty() ? "" : '\n' + heading + "\n\n";
    for (const std::string& line : lines)
        text += "  - " + line + '\n';
    return text;
}

} // namespace

Json auditJson(const audit::Audit& audit)
{
    const estimate::Estimate& e = audit.estimate;
    const bool isMeasured = audit.measured.value() > 0;
    Json json{{"verdict", reporting::verdict(audit)},
        {"measured",
            {{"step_s", isMeasured ? Json(audit.measured.value()) : Json(nullptr)}, {"origin", key(audit.origin)}}},
        {"estimated", {{"step_s", e.step.value()}, {"low_s", e.stepLow.value()}, {"high_s", e.stepHigh.value()}}},
        {"gap_s", isMeasured ? Json((audit.measured - e.step).value()) : Json(nullptr)},
        {"gap_share", isMeasured ? Json(audit.measured / e.step - 1) : Json(nullptr)}, {"stage", audit.stage},
        {"profile", audit.step ? stepJson(*audit.step) : Json(nullptr)}, {"causes", causesJson(audit)}};
    json.update(listsJson(audit));
    json["mfu"] = mfuJson(audit);
    json["name_mismatch"] = audit.name ? Json{{"claimed", audit.name->claimed.text},
                                {"parameters", audit.name->parameters}, {"text", reporting::describe(*audit.name)}}
                                       : Json(nullptr);
    return json;
}

std::string describeAudit(const audit::Audit& audit)
{
    std::string text = describePlan(audit.plan) + '\n' + reporting::verdict(audit) + '\n';
    if (audit.name)
        text += reporting::describe(*audit.name) + '\n';
    if (audit.step)
        text += reporting::describeStep(*audit.step, audit.stage) + '\n';
    text += '\n' + causeTable(audit);
    std::vector<std::string> findings, settings, edits;
    for (const audit::Finding& finding : audit.findings)
        findings.push_back(reporting::describe(finding));
    for (const audit::SettingFinding& setting : audit.settings)
        settings.push_back(reporting::describe(setting) + " [" + setting.source + ']');
    for (const audit::PlanEdit& edit : audit.edits)
        edits.push_back(reporting::describe(edit, audit.estimate.step));
    text += listText("What explains it", findings) + listText("Settings that differ from what is recommended", settings)
        + listText("The edits that would help most", edits);
    text += "\nMFU by convention at " + format(audit.mfu.step) + "\n\n" + mfuTableText(audit);
    if (audit.quoted)
        text += '\n' + reporting::describeQuoted(audit) + '\n';
    return text;
}

} // namespace stratoplan::cli
