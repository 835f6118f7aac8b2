// SPDX-License-Identifier: Apache-2.0
// The parts of a fit that the fit itself and the leave-out share; private to core/calibration.
#pragma once

#include "core/calibration/calibration.h"

namespace stratoplan::calibration::detail {

using Rows = std::vector<const MeasuredRun*>;

/// The measured value of a run, or nothing.
[[nodiscard]] std::optional<double> measured(const MeasuredRun& run, plan::CalibrationTarget target);
/// The estimate of a run under a profile, or nothing if there is none.
[[nodiscard]] std::optional<double> estimated(
    const MeasuredRun& run, const plan::SoftwareProfile& profile, plan::CalibrationTarget target);
/// The runs that have the measured value and an estimate under `start`, by index.
[[nodiscard]] std::vector<std::size_t> usableRows(
    const std::vector<MeasuredRun>& runs, const Starts& starts, plan::CalibrationTarget target);

/// A constant that is zero (or a share of 0 or 1) says what the stack does not do, and is not fitted.
[[nodiscard]] bool fittable(
    const CalibrationParameter& parameter, const plan::SoftwareProfile& start, plan::CalibrationTarget target);

/// The constants that a fit may move, each in those of the profiles where it is fittable.
[[nodiscard]] std::vector<const CalibrationParameter*> freeParameters(
    const Starts& starts, const CalibrationOptions& options);

struct Solution {
    Starts profiles; ///< with the fitted constants
    std::vector<double> x; ///< distance of each fitted constant from its prior, in logarithms or logits
    bool converged = false;
};
[[nodiscard]] Solution solve(
    const Rows& rows, const Starts& starts, const CalibrationOptions& options, std::stop_token stop);

/// The options, and of the constants only those that the rows say something about, where they ask for it.
[[nodiscard]] CalibrationOptions withoutUnidentified(
    const Rows& rows, const Starts& starts, CalibrationOptions options, std::stop_token stop);

/// What rows and priors together leave each free constant open, in logarithms or logits; in the order of
/// freeParameters().
[[nodiscard]] std::vector<double> spreads(const Rows& rows, const Starts& starts, const CalibrationOptions& options,
    const std::vector<double>& x, std::stop_token stop);

struct RowError {
    const MeasuredRun* run = nullptr;
    double error = 0; ///< estimated / measured - 1
};
void addErrors(const Rows& rows, const Starts& profiles, plan::CalibrationTarget target, std::vector<RowError>& errors);
[[nodiscard]] FitErrors summary(const std::vector<RowError>& errors);

/// What tells one strategy from another: its degrees, sharding and recomputation.
[[nodiscard]] std::string strategyLabel(const MeasuredRun& run);

/// One label per row -> one fold per row, rows of a label together: a fold for each label if there are at most `most`.
[[nodiscard]] std::vector<int> folds(const std::vector<std::string>& labels, int most);

/// Fits every fold's rows out of the others', several at a time, and gives the errors of the rows left out, in the
/// order of the folds. Which constants move, the others alone say. Stops with what is done. `done` is called, one
/// thread at a time, after each fold.
[[nodiscard]] std::vector<RowError> leaveOut(const Rows& rows, const std::vector<int>& foldOfRow, const Starts& starts,
    const CalibrationOptions& options, std::stop_token stop, const std::function<void()>& done = {});

} // namespace stratoplan::calibration::detail
