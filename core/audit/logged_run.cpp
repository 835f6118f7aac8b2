// SPDX-License-Identifier: Apache-2.0
#include "core/audit/audit.h"
#include "core/calibration/megatron_log.h"
#include "core/calibration/own_runs.h"

#include <algorithm>

namespace stratoplan::audit {
namespace {

const calibration::IterationsUsed* iterationsOf(const calibration::MeasuredRun& run)
{
    for (const calibration::RunRemark& remark : run.remarks)
        if (const auto* const used = std::get_if<calibration::IterationsUsed>(&remark))
            return used;
    return nullptr;
}

StatedSettings argumentsOf(std::string_view text)
{
    StatedSettings stated;
    if (calibration::recogniseRunText(text) != calibration::RunText::MegatronLog)
        return stated;
    for (const calibration::LogSection& section : calibration::parseMegatronLog(text).sections)
        for (const auto& [name, argument] : section.arguments)
            stated[name] = argument.value;
    return stated;
}

LoggedRun loggedRunOf(const calibration::MeasuredRun& run, std::string_view text, const plan::Plan& given)
{
    LoggedRun logged;
    logged.plan = run.plan;
    logged.step = Seconds(*run.stepSeconds);
    logged.peakGib = run.peakGib;
    logged.stated = argumentsOf(text);
    if (const auto* const used = iterationsOf(run)) {
        logged.iterations = used->iterations;
        logged.spread = used->lines > 1 ? used->spread : 0;
    }
    if (run.plan != given)
        logged.differing = run.stated;
    return logged;
}

} // namespace

tl::expected<LoggedRun, calibration::UnusableText> loggedRun(
    std::string_view text, const std::string& file, const plan::Plan& plan, const std::string& planName)
{
    const calibration::RunContext context{.file = file, .plan = &plan, .planName = planName};
    auto table = calibration::readRuns(text, context);
    if (!table)
        return tl::unexpected(std::move(table.error()));
    std::erase_if(table->runs, [](const calibration::MeasuredRun& run) { return !run.stepSeconds; });
    const auto longest = std::ranges::max_element(table->runs, {}, [](const calibration::MeasuredRun& run) {
        const auto* const used = iterationsOf(run);
        return used ? used->iterations : 0;
    });
    if (longest == table->runs.end())
        return tl::unexpected(
            calibration::UnusableText{file, planName, {{.code = calibration::RunFaultCode::NoIterations}}, {}});
    return loggedRunOf(*longest, text, plan);
}

} // namespace stratoplan::audit
