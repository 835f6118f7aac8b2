// SPDX-License-Identifier: Apache-2.0
#include "core/audit/audit.h"

#include "core/audit/findings.h"
#include "core/units/named.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::audit {
namespace {

constexpr NameTable<StepOrigin, 5> kOrigins{{{StepOrigin::None, "none"}, {StepOrigin::Stated, "stated"},
    {StepOrigin::Log, "log"}, {StepOrigin::Profile, "profile"}, {StepOrigin::Mfu, "mfu"}}};

/// What is stated counts before what is logged, and that before what the profiler slowed down.
void takeMeasured(const AuditInputs& inputs, Audit& audit)
{
    if (inputs.stated) {
        audit.origin = StepOrigin::Stated;
        audit.measured = *inputs.stated;
    } else if (inputs.log) {
        audit.origin = StepOrigin::Log;
        audit.measured = inputs.log->step;
    } else if (audit.step) {
        audit.origin = StepOrigin::Profile;
        audit.measured = audit.step->step;
    } else if (inputs.mfu && !inputs.mfuConvention.empty()) {
        const MfuTable table = mfuTable(audit.plan, audit.estimate, audit.estimate.step);
        audit.origin = StepOrigin::Mfu;
        audit.measured = stepOf(table, conventionNamed(table, inputs.mfuConvention).value(), inputs.mfu->mfu);
    }
}

std::vector<CauseRow> causeRows(const CauseSeconds& estimated, const std::optional<MeasuredStep>& step)
{
    std::vector<CauseRow> rows;
    for (std::size_t i = 0; i < kCauses; ++i) {
        const auto cause = Cause(i);
        CauseRow row{cause, std::nullopt, estimated[cause], {}, 0, std::nullopt, estimated.hiddenOf(cause)};
        if (step) {
            row.measured = step->causes[cause];
            row.difference = *row.measured - row.estimated;
            row.share = *row.measured / step->step;
            if (isCommunication(cause))
                row.hiddenMeasured = step->causes.hiddenOf(cause);
        }
        const bool isSome = row.estimated.value() > 0 || row.hiddenEstimated.value() > 0
            || row.measured.value_or(Seconds{}).value() > 0 || row.hiddenMeasured.value_or(Seconds{}).value() > 0;
        if (isSome)
            rows.push_back(row);
    }
    const bool isSlower = step && step->step >= estimated.total();
    std::ranges::stable_sort(rows, std::ranges::greater(), [&](const CauseRow& row) {
        return !step ? row.estimated.value() : (isSlower ? 1 : -1) * row.difference.value();
    });
    return rows;
}

} // namespace

std::string_view key(StepOrigin origin)
{
    return nameIn(kOrigins, origin);
}

tl::expected<Audit, std::vector<plan::Problem>> audit(const AuditInputs& inputs, const AuditOptions& options)
{
    Audit audit;
    audit.plan = inputs.log ? inputs.log->plan : inputs.plan;
    auto estimate = estimate::estimate(audit.plan, {.catalog = options.catalog, .stop = options.stop});
    if (!estimate)
        return tl::unexpected(std::move(estimate.error()));
    audit.estimate = std::move(*estimate);
    audit.stage = pacingStage(audit.estimate);
    if (inputs.profile) {
        audit.step = measuredStep(*inputs.profile, audit.plan.strategy);
        if (const auto stage = stageOfRank(audit.plan.strategy, audit.step->rank.value_or(-1)))
            audit.stage = *stage;
    }
    takeMeasured(inputs, audit);
    const CauseSeconds causes = estimatedCauses(audit.plan, audit.estimate, audit.stage, *options.catalog);
    audit.rows = causeRows(causes, audit.step);
    audit.findings = findingsOf(inputs, audit, *options.catalog);
    StatedSettings stated = inputs.log ? inputs.log->stated : StatedSettings();
    for (const auto& [name, value] : inputs.settings)
        stated[name] = value;
    audit.settings = differingSettings(audit.plan, audit.estimate, stated, *options.catalog);
    audit.edits = bestEdits(audit.plan, audit.estimate, options.edits, *options.catalog, options.stop);
    audit.mfu = mfuTable(audit.plan, audit.estimate, audit.measured.value() > 0 ? audit.measured : audit.estimate.step);
    audit.quoted = inputs.mfu;
    if (audit.quoted)
        audit.quotedMatches = matches(audit.mfu, *audit.quoted);
    audit.name = nameMismatch(audit.plan.model);
    audit.estimatedLane = estimatedLane(audit.estimate, audit.stage);
    return audit;
}

} // namespace stratoplan::audit
