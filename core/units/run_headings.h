// SPDX-License-Identifier: Apache-2.0
// What columns of a table of runs are called, for its reader (core/calibration) and for those who have to tell such a
// table from another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::inline units {

/// "Step time (ms)" as "step_time" and "ms", "micro-batch" as "micro_batch".
struct RunHeading {
    std::string words; ///< in small letters, with one underscore between them
    std::string unit; ///< in brackets
};
[[nodiscard]] RunHeading runHeadingOf(std::string_view text);

/// The column that the words of a heading mean: "tp" of "tensor_parallel"; the words themselves where nobody calls a
/// column so.
[[nodiscard]] std::string_view runColumnOf(std::string_view words);
/// What people call columns, beside their names.
[[nodiscard]] std::vector<std::string_view> runColumnAliases();
/// The columns themselves.
[[nodiscard]] std::vector<std::string_view> runColumnTitles();
/// Whether a table of runs has a column of that heading, with a unit or without.
[[nodiscard]] bool isRunHeading(std::string_view text);
/// Whether a heading is of a measurement: "step_s", "Step time (ms)", "peak_memory".
[[nodiscard]] bool isMeasuredHeading(std::string_view text);

} // namespace stratoplan::inline units
