// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/chart_export.h"

#include "widgets/charts/chart_view.h"
#include "widgets/charts/legend_row.h"
#include "widgets/charts/qcp.h"
#include "widgets/style/elided_label.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QObject>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace stratoplan {

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

} // namespace

ChartExport::ChartExport(ChartView& chart)
    : m_chart(chart)
{
    const int width = std::max(chart.m_plot->width(), 200);
    const int legend = chart.m_legend->entries().empty() ? 0 : chart.m_legend->heightForWidth(width) + 4;
    m_size = QSize(width + 2 * kPadding, kHeader + std::max(chart.m_plot->height(), 120) + legend + 2 * kPadding);
}

QString ChartExport::write(const QString& path)
{
    if (m_chart.isEmpty())
        return QObject::tr("There is nothing to export yet.");
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == u"csv")
        return writeCsv(path);
    if (suffix != u"png" && suffix != u"svg" && suffix != u"pdf")
        return QObject::tr("Charts are written as .png, .svg, .pdf or .csv, not as “%1”.")
            .arg(QFileInfo(path).fileName());
    m_chart.m_exportTokens = &tokens(ThemeKind::Light);
    m_chart.applyLook();
    const QString problem = suffix == u"png" ? writePng(path) : suffix == u"svg" ? writeSvg(path) : writePdf(path);
    m_chart.m_exportTokens = nullptr;
    m_chart.applyLook();
    m_chart.replot();
    return problem;
}

void ChartExport::paint(QPaintDevice& device, double scale, bool vector)
{
    const Tokens& t = m_chart.look();
    QCPPainter painter;
    if (!painter.begin(&device))
        return;
    painter.setMode(QCPPainter::pmVectorized, vector);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.scale(scale, scale);
    painter.fillRect(QRect(QPoint(), m_size), t.surface);
    const int width = m_size.width() - 2 * kPadding;
    const int legendHeight = m_chart.m_legend->entries().empty() ? 0 : m_chart.m_legend->heightForWidth(width) + 4;
    const int plotHeight = m_size.height() - 2 * kPadding - kHeader - legendHeight;
    painter.translate(kPadding, kPadding);
    painter.setFont(m_chart.m_title->font());
    painter.setPen(t.text);
    painter.drawText(QRect(0, 0, width, kHeader - 4), Qt::AlignLeft | Qt::AlignVCenter, m_chart.title());
    painter.setFont(m_chart.plotFont());
    painter.setPen(t.secondaryText);
    painter.drawText(QRect(0, 0, width, kHeader - 4), Qt::AlignRight | Qt::AlignVCenter, m_chart.note());
    painter.translate(0, kHeader);
    m_chart.m_plot->toPainter(&painter, width, plotHeight);
    painter.translate(0, plotHeight + 4);
    painter.setClipping(false);
    m_chart.m_legend->paint(painter, width, t);
    painter.end();
}

QString ChartExport::writePng(const QString& path)
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

QString ChartExport::writeSvg(const QString& path)
{
    QByteArray bytes;
    {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(m_size);
        generator.setViewBox(QRect(QPoint(), m_size));
        generator.setTitle(m_chart.title());
        generator.setDescription(m_chart.description());
        paint(generator, 1, true);
    }
    return save(path, bytes);
}

QString ChartExport::writePdf(const QString& path)
{
    QByteArray bytes;
    {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QPdfWriter writer(&buffer);
        writer.setTitle(m_chart.title());
        writer.setResolution(kPdfResolution);
        writer.setPageSize(QPageSize(QSizeF(m_size) * 72.0 / kPdfResolution, QPageSize::Point));
        writer.setPageMargins(QMarginsF());
        paint(writer, 1, true);
    }
    return save(path, bytes);
}

QString ChartExport::writeCsv(const QString& path)
{
    return save(path, toCsv(m_chart.table()).toUtf8());
}

} // namespace stratoplan
