// SPDX-License-Identifier: Apache-2.0
// A report as a file, but for PDF, which needs a painter.
#pragma once

#include "core/exchange/document.h"
#include "core/report/compose.h"

namespace stratoplan::report {

/// The content of a file of that kind. Precondition: no PDF.
[[nodiscard]] tl::expected<std::string, exchange::DocumentError> content(const Report& report, FileKind kind);

} // namespace stratoplan::report
