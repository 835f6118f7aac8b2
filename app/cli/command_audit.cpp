// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/audit_answer.h"
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/reporting/audits.h"
#include "core/reporting/run_faults.h"
#include "core/units/parse.h"

#include <nlohmann/json.hpp>

namespace stratoplan::cli {

namespace {

using Read = tl::expected<void, int>; ///< else the exit code of the refusal

Read readStated(const AuditArguments& arguments, audit::AuditInputs& inputs)
{
    if (!arguments.stepTime.empty()) {
        const auto seconds = parseNumber(arguments.stepTime, 0);
        if (!seconds || !(*seconds > 0 && *seconds <= 1e9))
            return tl::unexpected(refuse(
                "--step-time", '"' + arguments.stepTime + '"', "seconds of a step > 0, e.g. 12.5", arguments.json));
        inputs.stated = Seconds(*seconds);
    }
    if (!arguments.mfu.empty()) {
        inputs.mfu = audit::quotedMfu(arguments.mfu);
        if (!inputs.mfu)
            return tl::unexpected(
                refuse("--mfu", '"' + arguments.mfu + '"', "a share, e.g. 0.43 or 43 %", arguments.json));
    }
    for (const std::string& setting : arguments.settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || equals == 0)
            return tl::unexpected(refuse(
                "--setting", '"' + setting + '"', "NAME=VALUE, e.g. CUDA_DEVICE_MAX_CONNECTIONS=1", arguments.json));
        inputs.settings[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
    return {};
}

Read readMeasured(const AuditArguments& arguments, audit::AuditInputs& inputs)
{
    if (!arguments.log.empty()) {
        const auto text = readText(arguments.log);
        if (!text)
            return tl::unexpected(refuse(text.error(), arguments.json));
        auto log = audit::loggedRun(*text, inputName(arguments.log), inputs.plan, inputName(arguments.plan));
        if (!log)
            return tl::unexpected(refuse(reporting::documentErrors(log.error()), arguments.json));
        inputs.log = std::move(*log);
    }
    if (!arguments.profile.empty()) {
        auto profile = audit::readProfile(std::filesystem::path(arguments.profile));
        if (!profile)
            return tl::unexpected(refuse(reporting::documentError(profile.error()), arguments.json));
        inputs.profile = std::move(*profile);
    }
    return {};
}

/// Names of conventions are those of the plan's accelerators.
Read checkConvention(const AuditArguments& arguments, audit::AuditInputs& inputs)
{
    if (arguments.convention.empty())
        return {};
    const plan::Plan& plan = inputs.log ? inputs.log->plan : inputs.plan;
    const auto estimate = estimate::estimate(plan, {.remedies = false, .waits = false, .range = false});
    if (!estimate)
        return {}; // told with its problems
    const audit::MfuTable table = audit::mfuTable(plan, *estimate, estimate->step);
    if (conventionNamed(table, arguments.convention))
        return {};
    std::string names;
    for (const auto& [convention, flops] : table.flops)
        names += (names.empty() ? "" : ", ") + std::string(key(convention));
    std::string peaks = "dense, sparse";
    for (const audit::PeakConvention& peak : table.peaks)
        peaks += ", " + peak.key();
    return tl::unexpected(refuse("--mfu-convention", '"' + arguments.convention + '"',
        "FLOPS or FLOPS/PEAK, of " + names + " and " + peaks, arguments.json));
}

} // namespace

int runAudit(const AuditArguments& arguments)
{
    const auto document = readPlan(arguments.plan);
    if (!document)
        return refuse(document.error(), arguments.json);
    audit::AuditInputs inputs;
    inputs.plan = document->project.plan;
    inputs.mfuConvention = arguments.convention;
    for (const auto read : {readStated, readMeasured, checkConvention})
        if (const Read done = read(arguments, inputs); !done)
            return done.error();
    Interruptible interrupt;
    const auto answer = audit::audit(inputs, {.stop = interrupt.token()});
    if (!answer)
        return interrupt.token().stop_requested() ? kStopped
                                                  : refuse(answer.error(), inputName(arguments.plan), arguments.json);
    return arguments.json ? deliverJson(auditJson(*answer)) : deliver(describeAudit(*answer));
}

} // namespace stratoplan::cli
