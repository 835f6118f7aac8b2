// SPDX-License-Identifier: Apache-2.0
// A report as a workbook: a sheet for the decision and for each kind of table, numbers as numbers with their formats.
#pragma once

#include "core/exchange/document.h"
#include "core/report/report.h"

namespace stratoplan::report {

/// The content of the file. The same report gives the same bytes. An error says which temporary file cannot be written.
[[nodiscard]] tl::expected<std::string, exchange::DocumentError> xlsx(const Report& report);

} // namespace stratoplan::report
