// SPDX-License-Identifier: Apache-2.0
// A person's own measured runs as a table (CSV): a line per run says what changes from a base plan and what was
// measured. Grammar: resources/schema/calibration-rows.md; an example: resources/examples/calibration-rows.csv.
#pragma once

#include "core/calibration/calibration.h"
#include "core/calibration/run_faults.h"

namespace stratoplan::calibration {

struct RunTable {
    std::vector<MeasuredRun> runs;
    std::vector<FaultyRun> faulty; ///< lines that are no run, each with what stands there and what would be right
    std::vector<std::string> unknownColumns; ///< of its heading, passed over
};

/// The plan that the table names in a line "# plan: NAME"; empty if it names none.
[[nodiscard]] std::string namedPlan(std::string_view csv);

/// An error is a table without a heading that can be read. Every run is checked by an estimate.
[[nodiscard]] tl::expected<RunTable, RunFault> readRunTable(std::string_view csv, const plan::Plan& base);

} // namespace stratoplan::calibration
