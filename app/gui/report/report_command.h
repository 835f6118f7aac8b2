// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a plan without a window, as stratoplan-cli asks for it.
#pragma once

#include <QString>

namespace stratoplan::gui {

/// `plan`: a file, or "-" for standard input. Exit codes as of stratoplan-cli: 0 written, 2 bad input, with a message
/// on standard error.
[[nodiscard]] int runReportCommand(const QString& plan, const QString& file);

} // namespace stratoplan::gui
