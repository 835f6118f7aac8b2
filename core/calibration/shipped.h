// SPDX-License-Identifier: Apache-2.0
// Makes whole profiles: the time constants fitted first, then those of memory. The shipped ones are the priors of
// resources/catalog/software_priors.json fitted to the measured cases; a person's own come from the same engine.
#pragma once

#include "core/calibration/calibration.h"

namespace stratoplan::calibration {

struct FittedProfile {
    plan::SoftwareProfile profile;
    int timeRows = 0;
    int memoryRows = 0;
    Calibration time; ///< meaningful if there are enough time rows
    Calibration memory; ///< meaningful if there are enough memory rows
};

struct FitChoices {
    int rowsForAll = 0; ///< with fewer rows only the matrix rate, or the memory reserve, is fitted
    std::function<void(int done, int total)> progress = {}; ///< over time and memory together
};
/// Runs of one stack, whatever software their plans have. `labels` says which rows are left out together. Constants are
/// rounded as for the shipped profiles.
[[nodiscard]] FittedProfile fitProfile(const plan::SoftwareProfile& prior, const std::vector<MeasuredRun>& runs,
    const std::vector<std::string>& labels, const FitChoices& choices, std::stop_token stop = {});

/// What tells one model shape from another: layers, width and heads.
[[nodiscard]] std::string shapeLabel(const model::Transformer& model);

/// resources/catalog/software_priors.json, as it was built in.
[[nodiscard]] const std::vector<plan::SoftwareProfile>& shippedPriors();

/// One entry per prior, in its order, fitted with those of its pools (core/calibration/pools.h). A run belongs to the
/// prior whose id its plan's software has. Constants are rounded to four significant digits of the unit that is
/// written, so that the catalogue's text is the whole truth. Rows are left out by model shape.
[[nodiscard]] std::vector<FittedProfile> fitProfiles(
    const std::vector<plan::SoftwareProfile>& priors, const std::vector<MeasuredRun>& runs, std::stop_token stop = {});

} // namespace stratoplan::calibration
