// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/least_squares.h"
#include "core/calibration/solver.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace stratoplan::calibration {

using namespace detail;

namespace {

/// The widest 80 % of measured over estimated, as a range around an estimate.
void setRange(const std::vector<RowError>& errors, plan::SoftwareProfile& profile)
{
    if (errors.size() < 5)
        return;
    std::vector<double> ratios;
    for (const RowError& row : errors)
        ratios.push_back(1 / (1 + row.error));
    std::sort(ratios.begin(), ratios.end());
    const double last = double(ratios.size() - 1);
    profile.rangeLow = std::min(1.0, ratios[std::size_t(std::floor(0.1 * last))]);
    profile.rangeHigh = std::max(1.0, ratios[std::size_t(std::ceil(0.9 * last))]);
}

/// What a fit of several profiles found, before it is told of each of them.
struct Together {
    const std::vector<MeasuredRun>& runs;
    const Starts& starts;
    const CalibrationOptions& options;
    Rows rows;
    Solution solution;
    std::vector<const CalibrationParameter*> free; ///< constants that were fitted
    std::vector<const CalibrationParameter*> held; ///< those that the rows say nothing about
    std::vector<double> spreads; ///< after the rows, of `free`
    std::vector<RowError> leftOut;
};

void fit(Together& together, const std::stop_token& stop)
{
    const Rows& rows = together.rows;
    const Starts& starts = together.starts;
    const CalibrationOptions options = withoutUnidentified(rows, starts, together.options, stop);
    together.solution = solve(rows, starts, options, stop);
    together.free = freeParameters(starts, options);
    together.held = freeParameters(starts, together.options);
    std::erase_if(
        together.held, [&](const CalibrationParameter* p) { return std::ranges::count(together.free, p) > 0; });
    if (!rows.empty())
        together.spreads = spreads(rows, starts, options, together.solution.x, stop);
}

/// The constants of a profile, each with what the rows taught of it; those that are held last.
std::vector<FittedParameter> fittedParameters(
    const Together& together, const plan::SoftwareProfile& start, const plan::SoftwareProfile& fitted)
{
    std::vector<FittedParameter> result;
    const auto add = [&](const CalibrationParameter& p, double spread) {
        const double prior = p.spread * together.options.spread;
        if (fittable(p, start, together.options.target))
            result.push_back({std::string(p.key), p.get(start), p.get(fitted), p.unit, p.share, prior, spread,
                spread < kIdentifiedBelow * prior});
    };
    const auto& free = together.free;
    for (std::size_t i = 0; i < free.size(); ++i)
        add(*free[i], i < together.spreads.size() ? together.spreads[i] : free[i]->spread * together.options.spread);
    for (const CalibrationParameter* p : together.held)
        add(*p, p->spread * together.options.spread);
    return result;
}

/// What is told of one profile, and of the rows that it takes.
Calibration calibrationOf(const Together& together, const plan::SoftwareProfile& start, bool stopped)
{
    const plan::CalibrationTarget target = together.options.target;
    const auto isMine = [&](const MeasuredRun* run) { return &together.starts.profileOf(*run) == &start; };
    Calibration result;
    result.profile = together.solution.profiles.all()[static_cast<std::size_t>(&start - together.starts.all().data())];
    result.parameters = fittedParameters(together, start, result.profile);
    std::vector<RowError> before, after, leftOut;
    for (const RowError& error : together.leftOut)
        if (isMine(error.run))
            leftOut.push_back(error);
    for (const MeasuredRun* row : together.rows) {
        if (!isMine(row))
            continue;
        FittedRow fitted{std::size_t(row - together.runs.data()), *measured(*row, target),
            estimated(*row, start, target).value_or(0), estimated(*row, result.profile, target).value_or(0), {}};
        before.push_back({row, fitted.before / fitted.measured - 1});
        after.push_back({row, fitted.after / fitted.measured - 1});
        const auto held = std::ranges::find(leftOut, row, &RowError::run);
        if (held != leftOut.end())
            fitted.leftOut = fitted.measured * (1 + held->error);
        result.rows.push_back(fitted);
    }
    if (target == plan::CalibrationTarget::StepTime)
        setRange(leftOut.empty() ? after : leftOut, result.profile);
    result.leftOut = summary(leftOut);
    result.before = summary(before);
    result.after = summary(after);
    result.stopped = stopped;
    result.converged = together.solution.converged && !stopped;
    return result;
}

} // namespace

std::vector<Calibration> calibrateTogether(const std::vector<MeasuredRun>& runs, const Starts& starts,
    const CalibrationOptions& options, const std::vector<std::string>& groups, std::stop_token stop)
{
    Together together{runs, starts, options, {}, {starts, {}, true}, {}, {}, {}, {}};
    std::vector<std::string> labels;
    for (const std::size_t i : usableRows(runs, starts, options.target)) {
        together.rows.push_back(&runs[i]);
        labels.push_back(i < groups.size() ? groups[i] : std::string());
    }
    const int distinct = static_cast<int>(std::set<std::string>(labels.begin(), labels.end()).size());
    const int total = 1 + (distinct > 1 ? distinct : 0);
    int done = 0;
    const auto advance = [&] {
        if (options.progress && !stop.stop_requested())
            options.progress(++done, total);
    };
    fit(together, stop);
    advance();
    if (distinct > 1)
        together.leftOut = leaveOut(together.rows, folds(labels, distinct), starts, options, stop, advance);
    std::vector<Calibration> result;
    for (const plan::SoftwareProfile& start : starts.all())
        result.push_back(calibrationOf(together, start, stop.stop_requested()));
    return result;
}

Calibration calibrate(const std::vector<MeasuredRun>& runs, const plan::SoftwareProfile& start,
    const CalibrationOptions& options, const std::vector<std::string>& groups, std::stop_token stop)
{
    return calibrateTogether(runs, start, options, groups, std::move(stop)).front();
}

} // namespace stratoplan::calibration
