// SPDX-License-Identifier: GPL-3.0-or-later
// What every kind of calibration tells: errors before and after and on rows left out, constants, the profile written.
#pragma once

#include "app/cli/commands.h"
#include "core/calibration/shipped.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace stratoplan::cli {

/// Null where nothing of the kind was measured.
[[nodiscard]] nlohmann::ordered_json calibrationJson(const calibration::Calibration& calibration);
/// A line per profile and kind: mean absolute error at the start, fitted, left out, and bias.
[[nodiscard]] std::string errorTable(const std::vector<calibration::FittedProfile>& profiles, const char* start);

/// Writes what was fitted and gives the answer, which is not lost where the file is.
[[nodiscard]] int finishCalibration(const CalibrateArguments& arguments, const std::string& content, bool stopped,
    const std::string& text, nlohmann::ordered_json answer);

/// A person's own runs; kernels where a file holds those.
[[nodiscard]] int calibrateRuns(const CalibrateArguments& arguments);
/// `text` of a file of `arguments` holds measured kernels.
[[nodiscard]] int calibrateKernelFile(
    const CalibrateArguments& arguments, const std::string& text, std::stop_token stop);

} // namespace stratoplan::cli
