// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/fit_report.h"

#include "core/calibration/own_runs.h"
#include "core/catalog/catalog.h"
#include "core/estimate/range.h"
#include "core/exchange/profile.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::calibration {

namespace {

/// The widest 80 % of measured over estimated, of rows left out where there are any; of few rows all of them.
void setRange(const Calibration& time, plan::SoftwareProfile& profile)
{
    std::vector<double> ratios;
    for (const FittedRow& row : time.rows)
        ratios.push_back(row.measured / row.leftOut.value_or(row.after));
    if (ratios.empty())
        return;
    std::sort(ratios.begin(), ratios.end());
    const double last = double(ratios.size() - 1);
    profile.rangeLow = roundedTo(std::min(1.0, ratios[std::size_t(std::floor(0.1 * last))]), kProfileDigits);
    profile.rangeHigh = roundedTo(std::max(1.0, ratios[std::size_t(std::ceil(0.9 * last))]), kProfileDigits);
}

double medianShift(const Calibration& time)
{
    std::vector<double> shifts;
    for (const FittedRow& row : time.rows)
        if (row.before > 0 && row.after > 0)
            shifts.push_back(row.after / row.before);
    if (shifts.empty())
        return 1;
    const auto middle = shifts.begin() + std::ptrdiff_t(shifts.size() / 2);
    std::nth_element(shifts.begin(), middle, shifts.end());
    return *middle;
}

void widen(plan::RunExtents& least, plan::RunExtents& most, const plan::RunExtents& by)
{
    for (int plan::RunExtents::*member :
        {&plan::RunExtents::layers, &plan::RunExtents::hidden, &plan::RunExtents::experts, &plan::RunExtents::sequence,
            &plan::RunExtents::accelerators, &plan::RunExtents::microBatch, &plan::RunExtents::tp,
            &plan::RunExtents::pp, &plan::RunExtents::cp, &plan::RunExtents::ep}) {
        least.*member = std::min(least.*member, by.*member);
        most.*member = std::max(most.*member, by.*member);
    }
}

plan::CalibratedOn runsOfFit(const std::vector<MeasuredRun>& runs, const Calibration& time, double shiftBefore)
{
    plan::CalibratedOn on;
    for (const FittedRow& row : time.rows) {
        const plan::Plan& plan = runs[row.run].plan;
        const plan::RunExtents extents = estimate::extentsOf(plan);
        if (on.rows++ == 0)
            on.least = on.most = extents;
        widen(on.least, on.most, extents);
        const std::string accelerator(estimate::acceleratorOf(plan));
        if (std::find(on.accelerators.begin(), on.accelerators.end(), accelerator) == on.accelerators.end())
            on.accelerators.push_back(accelerator);
    }
    on.shift = roundedTo(shiftBefore * medianShift(time), kProfileDigits);
    return on;
}

void warn(const Calibration& c, plan::CalibrationTarget target, int rows, const char* constant,
    std::vector<FitWarning>& warnings)
{
    if (rows == 0)
        return;
    if (rows < kRowsForAFit)
        warnings.emplace_back(FewRows{target, rows, kRowsForAFit, constant});
    std::vector<std::string> held;
    for (const FittedParameter& p : c.parameters)
        if (!p.identified)
            held.push_back(p.key);
    if (!held.empty() && rows >= kRowsForAFit)
        warnings.emplace_back(ConstantsHeld{target, c.parameters.size(), std::move(held)});
    if (c.after.n < rows)
        warnings.emplace_back(RowsLost{rows - c.after.n, rows});
}

/// The constants of a fit that stand at their physical bound.
std::vector<std::string> bounded(const Calibration& c)
{
    std::vector<std::string> keys;
    for (const CalibrationParameter& p : calibrationParameters())
        if (p.target == plan::CalibrationTarget::PeakMemory && p.get(c.profile) >= 0.99 * p.maximum)
            keys.emplace_back(p.key);
    return keys;
}

} // namespace

void describeRuns(const plan::SoftwareProfile& start, const std::vector<MeasuredRun>& runs, FittedProfile& fitted)
{
    const bool again = start.calibratedOn.has_value(); // calibrated before: what it was based on then
    if (!again || start.base.empty())
        fitted.profile.base = start.id;
    if (fitted.time.rows.empty())
        return;
    setRange(fitted.time, fitted.profile);
    fitted.profile.calibratedOn = runsOfFit(runs, fitted.time, again ? start.calibratedOn->shift : 1);
}

std::vector<FitFault> unexplained(const FittedProfile& fitted)
{
    std::vector<FitFault> faults;
    const bool leftOut = fitted.time.leftOut.n > 0;
    const FitErrors& time = leftOut ? fitted.time.leftOut : fitted.time.after;
    if (time.n > 0 && time.meanAbs > kUnexplainedTime)
        faults.emplace_back(UnexplainedTime{time, leftOut});
    const FitErrors& memory = fitted.memory.after;
    if (memory.n > 0 && memory.meanAbs > kUnexplainedMemory)
        faults.emplace_back(UnexplainedMemory{memory, bounded(fitted.memory)});
    return faults;
}

std::vector<FitWarning> warningsOf(const FittedProfile& fitted, const std::vector<MeasuredRun>& runs)
{
    std::vector<FitWarning> warnings;
    warn(fitted.time, plan::CalibrationTarget::StepTime, fitted.timeRows, "matmul_factor", warnings);
    warn(fitted.memory, plan::CalibrationTarget::PeakMemory, fitted.memoryRows, "reserve_gib", warnings);
    if (std::any_of(runs.begin(), runs.end(), [](const MeasuredRun& run) { return run.peakGib && run.allocatorPeak; }))
        warnings.emplace_back(AllocatorRows{});
    return warnings;
}

std::optional<UnusableProfile> whyUnusable(const plan::SoftwareProfile& profile, const std::vector<MeasuredRun>& runs)
{
    const auto read = exchange::parseProfile(exchange::writeProfile(profile), catalog::shippedCatalog());
    if (!read)
        return read.error().front();
    for (const MeasuredRun& run : runs) {
        plan::Plan plan = run.plan;
        plan.training.software = *read;
        if (auto problem = whyNotEstimable(plan))
            return std::move(*problem);
    }
    return std::nullopt;
}

} // namespace stratoplan::calibration
