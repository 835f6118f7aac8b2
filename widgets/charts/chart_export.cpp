// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/chart_export.h"

#include "widgets/charts/chart_view.h"
#include "widgets/charts/legend_row.h"
#include "widgets/charts/qcp.h"

#include <QBuffer>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QObject>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace stratoplan::widgets {

namespace {

constexpr int kPadding = 12;
constexpr int kHeader = 24;
constexpr double kPngScale = 2;
constexpr int kPdfResolution = 96; // so that one unit of the page is one pixel of the screen

QString save(const QString& path, const QByteArray& bytes)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return QObject::tr("Could not write %1: %2").arg(path, file.errorString());
    return {};
}

/// The suffix that a name filter like "Image (*.png)" stands for.
QString suffixOf(const QString& filter)
{
    return filter.section(QStringLiteral("*."), 1).section(u')', 0, 0);
}

} // namespace

ExportFormat exportFormat(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    return suffix == u"png" ? ExportFormat::Png
        : suffix == u"svg"  ? ExportFormat::Svg
        : suffix == u"pdf"  ? ExportFormat::Pdf
        : suffix == u"csv"  ? ExportFormat::Csv
                            : ExportFormat::None;
}

void exportWithDialog(ChartView& chart)
{
    auto* dialog = new QFileDialog(&chart, ChartView::tr("Export chart"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({ChartView::tr("Image (*.png)"), ChartView::tr("Vector image (*.svg)"),
        ChartView::tr("PDF document (*.pdf)"), ChartView::tr("Table (*.csv)")});
    dialog->setDefaultSuffix(QStringLiteral("png")); // of a name without one
    dialog->selectFile(chart.title().toLower().replace(u' ', u'-'));
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog,
        [dialog](const QString& filter) { dialog->setDefaultSuffix(suffixOf(filter)); });
    QObject::connect(dialog, &QFileDialog::fileSelected, &chart, [&chart](const QString& path) {
        const QString problem = chart.exportTo(path);
        if (problem.isEmpty())
            Q_EMIT chart.reported(true, ChartView::tr("Exported the chart to %1.").arg(QDir::toNativeSeparators(path)));
        else
            Q_EMIT chart.reported(false, problem);
    });
    dialog->open();
}

QString exportTable(const ChartTable& table, const QString& path)
{
    return save(path, toCsv(table).toUtf8());
}

ChartPicture::ChartPicture(const Parts& parts)
    : m_parts(parts)
{
    const int width = std::max(parts.plot.width(), 200);
    const int legend = parts.legend.entries().empty() ? 0 : parts.legend.heightForWidth(width) + 4;
    m_size = QSize(width + 2 * kPadding, kHeader + std::max(parts.plot.height(), 120) + legend + 2 * kPadding);
}

QString ChartPicture::write(const QString& path) const
{
    const ExportFormat format = exportFormat(path);
    return format == ExportFormat::Png ? writePng(path) : format == ExportFormat::Svg ? writeSvg(path) : writePdf(path);
}

void ChartPicture::paint(QPaintDevice& device, double scale, bool vector) const
{
    const Tokens& t = m_parts.look;
    QCPPainter painter;
    if (!painter.begin(&device))
        return;
    painter.setMode(QCPPainter::pmVectorized, vector);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.scale(scale, scale);
    painter.fillRect(QRect(QPoint(), m_size), t.surface);
    const int width = m_size.width() - 2 * kPadding;
    const int legendHeight = m_parts.legend.entries().empty() ? 0 : m_parts.legend.heightForWidth(width) + 4;
    const int plotHeight = m_size.height() - 2 * kPadding - kHeader - legendHeight;
    painter.translate(kPadding, kPadding);
    painter.setFont(m_parts.titleFont);
    painter.setPen(t.text);
    painter.drawText(QRect(0, 0, width, kHeader - 4), Qt::AlignLeft | Qt::AlignVCenter, m_parts.title);
    painter.setFont(m_parts.font);
    painter.setPen(t.secondaryText);
    painter.drawText(QRect(0, 0, width, kHeader - 4), Qt::AlignRight | Qt::AlignVCenter, m_parts.note);
    painter.translate(0, kHeader);
    m_parts.plot.toPainter(&painter, width, plotHeight);
    painter.translate(0, plotHeight + 4);
    painter.setClipping(false);
    m_parts.legend.paint(painter, width, t);
    painter.end();
}

QString ChartPicture::writePng(const QString& path) const
{
    QImage image(m_size * kPngScale, QImage::Format_ARGB32_Premultiplied);
    paint(image, kPngScale, false);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG"))
        return QObject::tr("Could not encode the image.");
    return save(path, bytes);
}

QString ChartPicture::writeSvg(const QString& path) const
{
    QByteArray bytes;
    {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(m_size);
        generator.setViewBox(QRect(QPoint(), m_size));
        generator.setTitle(m_parts.title);
        generator.setDescription(m_parts.description);
        paint(generator, 1, true);
    }
    return save(path, bytes);
}

QString ChartPicture::writePdf(const QString& path) const
{
    QByteArray bytes;
    {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QPdfWriter writer(&buffer);
        writer.setTitle(m_parts.title);
        writer.setResolution(kPdfResolution);
        writer.setPageSize(QPageSize(QSizeF(m_size) * 72.0 / kPdfResolution, QPageSize::Point));
        writer.setPageMargins(QMarginsF());
        paint(writer, 1, true);
    }
    return save(path, bytes);
}

} // namespace stratoplan::widgets
