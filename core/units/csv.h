// SPDX-License-Identifier: Apache-2.0
// Tables of comma-separated values (RFC 4180), line by line, read by libcsv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stratoplan::inline units {

/// The cells of one line, without blanks around them; quotes may enclose a cell, a doubled quote inside stands for one.
/// At least one cell.
[[nodiscard]] std::vector<std::string> csvCells(std::string_view line, char separator = ',');

struct CsvRow {
    int line = 0; ///< from 1
    std::string_view text; ///< without line end
    std::vector<std::string> cells;
};
/// The lines of a table but empty ones and remarks, which begin with '#'. The rows refer to `text`.
[[nodiscard]] std::vector<CsvRow> csvRows(std::string_view text, char separator = ',');

} // namespace stratoplan::inline units
