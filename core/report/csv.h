// SPDX-License-Identifier: Apache-2.0
// All figures of a report as one table of comma-separated values (RFC 4180): a line for each cell of each table.
#pragma once

#include "core/report/report.h"

namespace stratoplan::report {

/// Columns: section, table, row, column, value, text. A value is a number in full, a share of one where the text is per
/// cent; without a number it is empty.
[[nodiscard]] std::string csv(const Report& report);

} // namespace stratoplan::report
