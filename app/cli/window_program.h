// SPDX-License-Identifier: GPL-3.0-or-later
// The window program, started without a display for what needs its painter.
#pragma once

#include <string>

namespace stratoplan::cli {

/// It lies beside this program, or on the PATH; empty where there is none.
[[nodiscard]] std::string windowProgram();

/// Has it write the report of a plan, whose text it reads from its standard input. Its exit code; what it says of
/// faults goes to standard error.
[[nodiscard]] int writeReportByWindow(const std::string& program, const std::string& file, const std::string& plan);

} // namespace stratoplan::cli
