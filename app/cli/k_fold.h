// SPDX-License-Identifier: GPL-3.0-or-later
// What leaving groups of measured cases out of the fit shows; its numbers are written by validate and calibrate alike.
#pragma once

#include "core/calibration/cross_validation.h"
#include "core/validation/coverage.h"
#include "core/validation/validation.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace stratoplan::cli {

struct KFold {
    calibration::CrossValidation time;
    calibration::CrossValidation memory;
    validation::RangeCoverage range; ///< of step times
    validation::RangeCoverage memoryRange; ///< of peaks
    [[nodiscard]] bool stopped() const { return time.stopped || memory.stopped; }
};
/// Cases of unknown stacks are left out. From the shipped priors, or from `software` where one profile serves every
/// case.
[[nodiscard]] KFold leaveGroupsOut(
    const validation::CaseSet& cases, const std::optional<plan::SoftwareProfile>& software, std::stop_token stop);

[[nodiscard]] nlohmann::ordered_json toJson(const calibration::FitErrors& errors);
[[nodiscard]] nlohmann::ordered_json toJson(const KFold& result);
[[nodiscard]] std::string describe(const KFold& result);

} // namespace stratoplan::cli
