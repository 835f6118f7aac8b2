// SPDX-License-Identifier: GPL-3.0-or-later
// A report worked out and written, by the ending of its file.
#pragma once

#include "core/report/facts.h"

#include <QString>

#include <filesystem>

namespace stratoplan::gui {

enum class ReportEnd {
    Written,
    Stopped,
    NotEstimable, ///< `why` tells what keeps the plan from it
    NotWritten, ///< the same of the file
};
struct ReportOutcome {
    ReportEnd end = ReportEnd::Stopped;
    QString why; ///< sentences for people
};

/// On any thread. A file with an ending of no report is not written.
[[nodiscard]] ReportOutcome writeReport(const exchange::Document& document, const std::filesystem::path& path,
    const std::stop_token& stop = {}, const report::ProgressCallback& progress = {});

} // namespace stratoplan::gui
