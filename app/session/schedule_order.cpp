// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/schedule_order.h"

#include "core/reporting/documents.h"

#include <QFileInfo>

#include <filesystem>

namespace stratoplan::session {

QString ScheduleFile::name() const
{
    return QFileInfo(path).fileName();
}

tl::expected<ScheduleFilePointer, exchange::DocumentError> readSchedule(const QString& path)
{
    auto text = exchange::readFile(std::filesystem::path(path.toStdU16String()));
    if (!text)
        return tl::unexpected(text.error());
    return std::make_shared<const ScheduleFile>(ScheduleFile{path, std::move(*text)});
}

tl::expected<estimate::Estimate, exchange::DocumentError> inOrderOf(
    const estimate::Estimate& estimate, const ScheduleFile& file)
{
    auto order = exchange::parseSchedule(file.text, estimate.pipeline);
    if (!order)
        return tl::unexpected(reporting::documentError(order.error()));
    estimate::Estimate ordered = estimate;
    ordered.pipeline.order = std::move(*order);
    return ordered;
}

} // namespace stratoplan::session
