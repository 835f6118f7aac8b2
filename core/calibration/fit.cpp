// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/solver.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace stratoplan {

using namespace calibration_detail;

namespace {

/// The widest 80 % of measured over estimated, as a range around an estimate.
void setRange(const std::vector<RowError>& errors, SoftwareProfile& profile)
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

} // namespace

Calibration calibrate(const std::vector<MeasuredRun>& runs, const SoftwareProfile& start, const CalibrationOptions& options,
    const std::vector<std::string>& groups, std::stop_token stop)
{
    Rows rows;
    std::vector<std::string> labels;
    for (const std::size_t i : usableRows(runs, start, options.target)) {
        rows.push_back(&runs[i]);
        labels.push_back(i < groups.size() ? groups[i] : std::string());
    }
    Calibration result;
    const Solution solution = solve(rows, start, options, {}, stop);
    result.profile = solution.profile;
    for (const CalibrationParameter& p : calibrationParameters())
        if (fittable(p, start, options.target))
            result.parameters.push_back({std::string(p.key), p.get(start), p.get(result.profile)});

    std::vector<RowError> leftOut;
    if (const std::set<std::string> distinct(labels.begin(), labels.end()); distinct.size() > 1)
        leftOut = leaveOut(rows, folds(labels, static_cast<int>(distinct.size())), start, options, solution, stop);
    std::vector<RowError> before, after;
    addErrors(rows, start, options.target, before);
    addErrors(rows, result.profile, options.target, after);
    if (options.target == CalibrationTarget::StepTime)
        setRange(leftOut.empty() ? after : leftOut, result.profile);
    result.leftOut = summary(leftOut);
    result.before = summary(before);
    result.after = summary(after);
    result.stopped = stop.stop_requested();
    result.converged = solution.converged && !result.stopped;
    return result;
}

} // namespace stratoplan
