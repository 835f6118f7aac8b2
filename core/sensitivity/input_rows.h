// SPDX-License-Identifier: Apache-2.0
// Inside of the inputs: a row for each that is no constant of the software.
#pragma once

#include "core/catalog/run_defaults.h"
#include "core/sensitivity/inputs.h"

#include <span>

namespace stratoplan::sensitivity::detail {

struct InputRow {
    std::string_view key = {};
    std::string_view unit = {};
    double perUnit = 1;
    Acts acts = Acts::Step;
    bool isWhole = false;
    double least = 0;
    double most = std::numeric_limits<double>::infinity();
    /// The factor from the middle to either percentile; nothing: taken to be certain.
    std::optional<catalog::RunConstant> spread = {};
    double (*get)(const Case&) = nullptr; ///< NaN: the case has none
    void (*set)(Case&, double value) = nullptr;
    std::string (*part)(const Case&) = nullptr; ///< null: of the run
    bool (*isCertain)(const Case&) = nullptr; ///< a person stated it; null: never
};
[[nodiscard]] std::span<const InputRow> inputRows();

} // namespace stratoplan::sensitivity::detail
