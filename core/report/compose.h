// SPDX-License-Identifier: Apache-2.0
// The report of what was gathered. The same facts give the same report; it names no day but those of the plan.
#pragma once

#include "core/report/facts.h"
#include "core/report/report.h"

namespace stratoplan::report {

[[nodiscard]] Report compose(const Facts& facts);

/// What a report can be written as, by the ending of its file.
enum class FileKind { Html, Pdf, Xlsx, Csv };
/// "report.pdf" is a PDF, whatever the case of its letters; nothing for other endings.
[[nodiscard]] std::optional<FileKind> kindOfFile(std::string_view file);
inline constexpr std::string_view kFileKinds = ".pdf, .html, .xlsx or .csv";

} // namespace stratoplan::report
