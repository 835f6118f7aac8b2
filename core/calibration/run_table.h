// SPDX-License-Identifier: Apache-2.0
// A person's own measured runs as a table (CSV): a line per run says what changes from a base plan and what was
// measured. Grammar: resources/schema/calibration-rows.md; an example: resources/examples/calibration-rows.csv.
#pragma once

#include "core/calibration/calibration.h"
#include "core/exchange/document.h"

namespace stratoplan::calibration {

struct FaultyRun {
    std::string id;
    std::string reason;
    int order = 0; ///< as of MeasuredRun
};

struct RunTable {
    std::vector<MeasuredRun> runs;
    std::vector<FaultyRun> faulty; ///< lines that are no run, each with what stands there and what would be right
    std::vector<std::string> remarks; ///< sentences on the text as a whole
};

/// The plan that the table names in a line "# plan: NAME"; empty if it names none.
[[nodiscard]] std::string namedPlan(std::string_view csv);

/// An error is a table without a heading that can be read. `file` is for the error. Every run is checked by an
/// estimate.
[[nodiscard]] tl::expected<RunTable, exchange::DocumentError> readRunTable(
    std::string_view csv, const plan::Plan& base, std::string_view file = {});

} // namespace stratoplan::calibration
