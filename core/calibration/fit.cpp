// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/least_squares.h"
#include "core/calibration/solver.h"

#include <algorithm>
#include <cmath>
#include <set>

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

/// The fitted constants, each with what the rows taught of it.
std::vector<FittedParameter> fittedParameters(const Rows& rows, const plan::SoftwareProfile& start,
    const CalibrationOptions& options, const Solution& solution, const std::stop_token& stop)
{
    std::vector<FittedParameter> result;
    const std::vector<double> after =
        rows.empty() ? std::vector<double>() : spreads(rows, start, options, solution.x, stop);
    const auto free = freeParameters(start, options);
    for (std::size_t i = 0; i < free.size(); ++i) {
        const CalibrationParameter& p = *free[i];
        const double spread = i < after.size() ? after[i] : p.spread;
        result.push_back({std::string(p.key), p.get(start), p.get(solution.profile), p.unit, p.share, p.spread, spread,
            spread < kIdentifiedBelow * p.spread});
    }
    return result;
}

/// Fits again without the constants that the rows say nothing about.
void holdUnidentified(const Rows& rows, const plan::SoftwareProfile& start, CalibrationOptions& options,
    Solution& solution, std::vector<FittedParameter>& parameters, const std::stop_token& stop)
{
    const std::vector<FittedParameter> all = parameters;
    options.only = identified(rows, start, options, {}, stop); // at the priors: no bound is reached there
    solution = solve(rows, start, options, {}, stop);
    parameters = fittedParameters(rows, start, options, solution, stop);
    for (FittedParameter held : all) {
        if (std::find(options.only->begin(), options.only->end(), held.key) != options.only->end())
            continue;
        held.after = held.before;
        held.spread = held.priorSpread;
        held.identified = false;
        parameters.push_back(std::move(held));
    }
}

void addRows(const std::vector<MeasuredRun>& runs, const Rows& rows, const plan::SoftwareProfile& start,
    plan::CalibrationTarget target, const std::vector<RowError>& leftOut, Calibration& result)
{
    for (const MeasuredRun* row : rows) {
        FittedRow fitted{std::size_t(row - runs.data()), *measured(*row, target),
            estimated(*row, start, target).value_or(0), estimated(*row, result.profile, target).value_or(0), {}};
        const auto held =
            std::find_if(leftOut.begin(), leftOut.end(), [&](const RowError& error) { return error.run == row; });
        if (held != leftOut.end())
            fitted.leftOut = fitted.measured * (1 + held->error);
        result.rows.push_back(fitted);
    }
}

} // namespace

// In one piece: what is held, left out and told of the rows all starts from the one solution.
Calibration calibrate(const std::vector<MeasuredRun>& runs, const plan::SoftwareProfile& start,
    const CalibrationOptions& given, const std::vector<std::string>& groups, std::stop_token stop)
{
    CalibrationOptions options = given;
    Rows rows;
    std::vector<std::string> labels;
    for (const std::size_t i : usableRows(runs, start, options.target)) {
        rows.push_back(&runs[i]);
        labels.push_back(i < groups.size() ? groups[i] : std::string());
    }
    const int distinct = static_cast<int>(std::set<std::string>(labels.begin(), labels.end()).size());
    const int total = 1 + (distinct > 1 ? distinct : 0);
    int done = 0;
    const auto advance = [&] {
        if (options.progress && !stop.stop_requested())
            options.progress(++done, total);
    };
    Calibration result;
    Solution solution = solve(rows, start, options, {}, stop);
    result.parameters = fittedParameters(rows, start, options, solution, stop);
    if (options.holdUnidentified && !rows.empty())
        holdUnidentified(rows, start, options, solution, result.parameters, stop);
    result.profile = solution.profile;
    advance();

    std::vector<RowError> leftOut;
    if (distinct > 1)
        leftOut = leaveOut(rows, folds(labels, distinct), start, options, solution, stop, advance);
    std::vector<RowError> before, after;
    addErrors(rows, start, options.target, before);
    addErrors(rows, result.profile, options.target, after);
    if (options.target == plan::CalibrationTarget::StepTime)
        setRange(leftOut.empty() ? after : leftOut, result.profile);
    addRows(runs, rows, start, options.target, leftOut, result);
    result.leftOut = summary(leftOut);
    result.before = summary(before);
    result.after = summary(after);
    result.stopped = stop.stop_requested();
    result.converged = solution.converged && !result.stopped;
    return result;
}

} // namespace stratoplan::calibration
