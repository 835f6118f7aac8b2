// SPDX-License-Identifier: GPL-3.0-or-later
// Measured cases as runs to fit, and what leaving groups of them out shows; shared by validate and calibrate.
#pragma once

#include "core/calibration/cross_validation.h"
#include "core/validation/validation.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace stratoplan::cli {

[[nodiscard]] std::vector<MeasuredRun> runsOf(const CaseSet& cases);

struct KFold {
    CrossValidation time;
    CrossValidation memory;
    [[nodiscard]] bool stopped() const { return time.stopped || memory.stopped; }
};
/// From the shipped priors, or from `software` where one profile serves every case.
[[nodiscard]] KFold leaveGroupsOut(const CaseSet& cases, const std::optional<SoftwareProfile>& software, std::stop_token stop);

[[nodiscard]] nlohmann::ordered_json toJson(const FitErrors& errors);
[[nodiscard]] nlohmann::ordered_json toJson(const KFold& result);
[[nodiscard]] std::string describe(const KFold& result);

} // namespace stratoplan::cli
