// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/report_pdf.h"

#include "widgets/report/page_layout.h"

#include <QBuffer>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>

namespace stratoplan::widgets {

QByteArray reportPdf(const report::Report& report, const std::stop_token& stop)
{
    QByteArray content;
    QBuffer buffer(&content);
    if (!buffer.open(QIODevice::WriteOnly))
        return {};
    // The first time nothing is drawn: only then it is known of how many pages the first one is.
    const int pages = layOut(report, nullptr, nullptr, 0, stop);
    {
        QPdfWriter writer(&buffer);
        constexpr int kDotsPerInch = 1200;
        constexpr double kPointsPerInch = 72;
        writer.setResolution(kDotsPerInch);
        writer.setPageLayout(QPageLayout(QPageSize(QPageSize::A4), QPageLayout::Portrait, QMarginsF()));
        writer.setTitle(QString::fromStdString(report.title));
        writer.setCreator(QString::fromStdString(report.origin));
        QPainter painter(&writer);
        painter.scale(kDotsPerInch / kPointsPerInch, kDotsPerInch / kPointsPerInch);
        layOut(report, &painter, &writer, pages, stop);
    }
    return stop.stop_requested() ? QByteArray() : content;
}

} // namespace stratoplan::widgets
