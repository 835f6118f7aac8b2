// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/fit_report.h"

#include "core/calibration/own_runs.h"
#include "core/catalog/catalog.h"
#include "core/estimate/range.h"
#include "core/exchange/profile.h"
#include "core/units/format.h"
#include "core/units/text.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::calibration {

namespace {

std::string joined(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

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

void warn(
    const Calibration& c, int rows, const char* what, const std::string& constant, std::vector<std::string>& warnings)
{
    if (rows == 0)
        return;
    if (rows < kRowsForAFit)
        warnings.push_back(std::to_string(rows) + (rows == 1 ? " row measures " : " rows measure ") + what
            + ", fewer than " + std::to_string(kRowsForAFit) + ": only " + constant
            + " is fitted, every other constant stays at its prior");
    std::vector<std::string> held;
    for (const FittedParameter& p : c.parameters)
        if (!p.identified)
            held.push_back(p.key);
    if (!held.empty() && rows >= kRowsForAFit)
        warnings.push_back("the rows say too little about " + std::to_string(held.size()) + " of "
            + std::to_string(c.parameters.size()) + " constants of " + what
            + ", which stay at their priors: " + joined(held));
    if (c.after.n < rows)
        warnings.push_back(std::to_string(rows - c.after.n) + " of " + std::to_string(rows)
            + " rows cannot be estimated with the constants fitted");
}

std::string worstText(const FitErrors& errors)
{
    return "worst " + std::string(errors.worst < 0 ? "−" : "+") + formatShare(std::abs(errors.worst)) + " in "
        + errors.worstId;
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

std::vector<std::string> unexplained(const FittedProfile& fitted)
{
    std::vector<std::string> faults;
    const FitErrors& time = fitted.time.leftOut.n > 0 ? fitted.time.leftOut : fitted.time.after;
    if (time.n > 0 && time.meanAbs > kUnexplainedTime)
        faults.push_back("the fit does not explain the rows: estimates are off by " + formatShare(time.meanAbs)
            + " on average" + (fitted.time.leftOut.n > 0 ? " on rows left out" : "") + " (" + worstText(time)
            + "). Look for a row of another model, machine or unit before you use the profile");
    const FitErrors& memory = fitted.memory.after;
    if (memory.n == 0 || memory.meanAbs <= kUnexplainedMemory)
        return faults;
    const std::vector<std::string> atBound = bounded(fitted.memory);
    faults.push_back("memory could not be fitted: it is still off by " + formatShare(memory.meanAbs) + " on average ("
        + worstText(memory) + "). "
        + (atBound.empty() ? std::string() : joined(atBound) + " reached what is physical. ")
        + "Weights, gradients, optimizer states and activations follow from the plan and are not fitted: compare its "
          "recomputation, "
          "ZeRO stage, precision and micro-batch with those of the runs");
    return faults;
}

void addWarnings(const FittedProfile& fitted, const std::vector<MeasuredRun>& runs, std::vector<std::string>& warnings)
{
    warn(fitted.time, fitted.timeRows, "step time", "matmul_factor", warnings);
    warn(fitted.memory, fitted.memoryRows, "memory", "reserve_gib", warnings);
    if (std::any_of(runs.begin(), runs.end(), [](const MeasuredRun& run) { return run.peakGib && run.allocatorPeak; }))
        warnings.emplace_back("memory of rows that report PyTorch's allocator leaves out what lies outside it (CUDA "
                              "context, NCCL buffers): "
                              "these rows say nothing about reserve_gib");
}

std::string whyUnusable(const plan::SoftwareProfile& profile, const std::vector<MeasuredRun>& runs)
{
    const auto read = exchange::parseProfile(exchange::writeProfile(profile), catalog::shippedCatalog());
    if (!read)
        return describe(read.error().front());
    for (const MeasuredRun& run : runs) {
        plan::Plan plan = run.plan;
        plan.training.software = *read;
        if (const std::string fault = whyNotEstimable(plan); !fault.empty())
            return fault;
    }
    return {};
}

} // namespace stratoplan::calibration
