// SPDX-License-Identifier: Apache-2.0
// The report on measured cases as a page of the documents: Markdown, and a scatter chart per source as SVG.
#pragma once

#include "core/validation/report.h"

#include <string>
#include <vector>

namespace stratoplan::reporting {

struct ReportFile {
    std::string name; ///< inside the folder of pictures: "nemo-24.07.svg"
    std::string text;
};

struct ReportPage {
    std::string markdown;
    std::vector<ReportFile> pictures;
};

/// `folder`: where the pictures lie, as seen from the page. The same report gives the same page, to the last letter.
[[nodiscard]] ReportPage reportPage(const validation::ValidationReport& report, const std::string& folder);

} // namespace stratoplan::reporting
