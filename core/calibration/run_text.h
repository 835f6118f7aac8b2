// SPDX-License-Identifier: Apache-2.0
// What a text of measurements is, told by its content; its lines and its numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::calibration {

enum class RunText {
    Table, ///< a line per run (CSV)
    MegatronLog, ///< the log of a training run
    Cases, ///< measured cases (JSON)
    KernelProfile, ///< measured kernels (JSON) of packaging/measure-kernels
};

/// By content, never by name. What is nothing of the kind is taken for a table, whose reader says what is missing.
[[nodiscard]] RunText recogniseRunText(std::string_view text);

namespace text {

struct Line {
    int number = 0; ///< from 1
    std::string_view text; ///< without line end
};
/// The lines of a text; a byte-order mark and carriage returns are dropped, of what a terminal overwrote the last is
/// kept.
[[nodiscard]] std::vector<Line> linesOf(std::string_view text);

/// Without the escape sequences that colour a terminal.
[[nodiscard]] std::string withoutEscapes(std::string_view text);
/// The whole text as a finite number with a decimal point; nothing for anything else.
[[nodiscard]] std::optional<double> wholeNumber(std::string_view text);
/// What somebody may have meant who writes commas: "1,5" is "1.5", "1,234,567" is "1234567", "22,000" is "22.000" or
/// "22000".
struct CommaNumber {
    std::optional<std::string> decimals;
    std::optional<std::string> thousands;
};
[[nodiscard]] CommaNumber commaNumber(std::string_view text);

/// "iteration  100/ 500 |": what stands behind the bar, or nothing.
struct IterationHead {
    std::int64_t iteration = 0;
    std::int64_t total = 0;
    std::string_view rest;
};
[[nodiscard]] std::optional<IterationHead> iterationHead(std::string_view line);

} // namespace text

} // namespace stratoplan::calibration
