// SPDX-License-Identifier: Apache-2.0
// The columns of a table of runs: what they are called, the units their headings and cells may have, and what a cell
// changes of the base plan. Private to core/calibration.
#pragma once

#include "core/calibration/calibration.h"
#include "core/calibration/run_faults.h"

namespace stratoplan::calibration::detail {

/// A run as its cells change it.
struct RunDraft {
    MeasuredRun run;
    bool dataParallelGiven = false;
    bool globalBatchGiven = false;
    double accelerators = 0; ///< of a column for them; 0 = none
};

/// What would be right in a cell, or nothing if it is.
using Expectation = std::optional<ExpectedValue>;

enum class ColumnUnit { None, Seconds, Gib };

struct RunColumn {
    std::string_view name;
    Expectation (*set)(RunDraft& draft, std::string_view cell, double scale);
    std::string (*get)(const plan::Plan& plan); ///< what the base plan says; null where it says nothing
    ColumnUnit unit = ColumnUnit::None;
};

/// A column as a heading names it: "step_s", "Step time (ms)", "Peak memory [GB]".
struct HeadedColumn {
    const RunColumn* column = nullptr;
    double scale = 1; ///< of a bare number, to seconds or GiB
};
/// Nothing for a heading that is not known. A measured column with a unit that is not one of it has the scale 0.
[[nodiscard]] std::optional<HeadedColumn> columnOf(std::string_view heading);

[[nodiscard]] std::span<const RunColumn> runColumns();
/// "tp, pp, dp, …" for messages.
[[nodiscard]] std::string runColumnNames();

} // namespace stratoplan::calibration::detail
