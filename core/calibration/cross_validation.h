// SPDX-License-Identifier: Apache-2.0
// How well constants carry over to what they were not fitted on: groups of rows are left out, estimated with constants
// fitted on the others, and compared. Groups are those of model shape, model size, accelerators, schedule, strategy,
// source.
#pragma once

#include "core/calibration/calibration.h"

#include <functional>

namespace stratoplan::calibration {

inline constexpr int kMostFolds = 10; ///< more groups than this share folds, each group whole

/// By what rows are grouped.
enum class Grouping { ModelShape, ModelSize, Accelerators, Schedule, Strategy, Source };

/// The rows of all profiles that have at least two groups to tell apart.
struct LeftOutErrors {
    Grouping grouping{};
    int groups = 0;
    FitErrors fit; ///< of these rows, with constants fitted on all of them
    FitErrors leftOut; ///< with constants fitted on other groups
};

struct CrossValidation {
    FitErrors prior; ///< every row, before any fit
    FitErrors fit; ///< every row, constants fitted on all
    std::vector<LeftOutErrors> groupings;
    bool stopped = false; ///< not every group was left out
};

/// Runs are fitted by the pool of the prior whose id their software has (core/calibration/pools.h), or else by their
/// own software, as fitProfiles() does. `progress` counts folds.
[[nodiscard]] CrossValidation crossValidate(const std::vector<MeasuredRun>& runs,
    const std::vector<plan::SoftwareProfile>& priors, plan::CalibrationTarget target, std::stop_token stop = {},
    const std::function<void(int done, int total)>& progress = {});

/// The errors of one run under constants that were fitted without it.
struct LeftOutRun {
    const MeasuredRun* run = nullptr;
    std::string group; ///< the label that the rows of its profile left out with it share
    double byGroup = 0; ///< estimated / measured - 1; its model shape left out, or where a profile knows one shape its
                        ///< number of accelerators, or its strategy
    double bySource = 0; ///< its source left out; that of the priors where a pool knows one source
};

/// Every run that has the measured value and an estimate, in the order of the pools; those that are not fitted give the
/// error of their priors.
[[nodiscard]] std::vector<LeftOutRun> leaveOutEachRun(const std::vector<MeasuredRun>& runs,
    const std::vector<plan::SoftwareProfile>& priors, plan::CalibrationTarget target, std::stop_token stop = {},
    const std::function<void(int done, int total)>& progress = {});

} // namespace stratoplan::calibration
