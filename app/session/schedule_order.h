// SPDX-License-Identifier: GPL-3.0-or-later
// An order of passes that a person read from a file, and a plan run in it.
#pragma once

#include "core/estimate/estimate.h"
#include "core/exchange/document.h"

#include <QString>

#include <memory>
#include <string>

namespace stratoplan::session {

/// As it stood in the file when it was read.
struct ScheduleFile {
    QString path;
    std::string text;
    /// Without its folders.
    [[nodiscard]] QString name() const;
};
using ScheduleFilePointer = std::shared_ptr<const ScheduleFile>;

[[nodiscard]] tl::expected<ScheduleFilePointer, exchange::DocumentError> readSchedule(const QString& path);

/// The estimate with its pipeline in the order of the file, ready to be simulated; its closed form stays the one of the
/// plan's own schedule. The error names line and pass (its `file` is empty): what is wrong in the text, or does not fit
/// the pipeline.
[[nodiscard]] tl::expected<estimate::Estimate, exchange::DocumentError> inOrderOf(
    const estimate::Estimate& estimate, const ScheduleFile& file);

} // namespace stratoplan::session
