// SPDX-License-Identifier: Apache-2.0
#include "core/report/write.h"

#include "core/report/csv.h"
#include "core/report/html.h"
#include "core/report/xlsx.h"

namespace stratoplan::report {

tl::expected<std::string, exchange::DocumentError> content(const Report& report, FileKind kind)
{
    switch (kind) {
    case FileKind::Html:
        return html(report);
    case FileKind::Csv:
        return csv(report);
    case FileKind::Xlsx:
        return xlsx(report);
    case FileKind::Pdf:
        break;
    }
    return std::string();
}

} // namespace stratoplan::report
