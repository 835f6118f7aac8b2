// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/report/report_file.h"

#include "core/narration/problems.h"
#include "core/report/write.h"
#include "widgets/report/report_pdf.h"

#include <QObject>

namespace stratoplan::gui {

namespace {

/// Of what is worst, a line each.
QString reasonsOf(const std::vector<plan::Problem>& problems)
{
    QStringList reasons;
    for (const plan::Problem& problem : problems)
        if (problem.severity == plan::Severity::Error)
            reasons << QString::fromStdString(narration::describe(problem));
    return reasons.join(u'\n');
}

tl::expected<std::string, exchange::DocumentError> contentOf(
    const report::Report& report, report::FileKind kind, const std::stop_token& stop)
{
    return kind == report::FileKind::Pdf ? widgets::reportPdf(report, stop).toStdString()
                                         : report::content(report, kind);
}

} // namespace

ReportOutcome writeReport(const exchange::Document& document, const std::filesystem::path& path,
    const std::stop_token& stop, const report::ProgressCallback& progress)
{
    const auto kind = report::kindOfFile(path.string());
    if (!kind)
        return {ReportEnd::NotWritten,
            QObject::tr("%1: the name of a report ends in %2.")
                .arg(QString::fromStdString(path.string()), QString::fromUtf8(report::kFileKinds.data()))};
    const auto notWritten = [](const exchange::DocumentError& error) {
        return ReportOutcome{ReportEnd::NotWritten, QString::fromStdString(describe(error))};
    };
    if (const auto place = exchange::checkWritable(path); !place) // before the work
        return notWritten(place.error());
    const auto facts = report::gather(document, STRATOPLAN_VERSION, stop, progress);
    if (!facts && facts.error().empty())
        return {};
    if (!facts)
        return {ReportEnd::NotEstimable, reasonsOf(facts.error())};
    if (progress)
        progress({report::Stage::Writing, 0});
    const auto content = contentOf(report::compose(*facts), *kind, stop);
    if (!content)
        return notWritten(content.error());
    if (stop.stop_requested())
        return {};
    if (const auto written = exchange::writeFileAtomically(path, *content); !written)
        return notWritten(written.error());
    return {ReportEnd::Written, {}};
}

} // namespace stratoplan::gui
