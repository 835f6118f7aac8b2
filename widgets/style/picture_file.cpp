// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/picture_file.h"

#include <QBuffer>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMimeData>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <array>
#include <memory>
#include <utility>

namespace stratoplan::widgets {

namespace {

constexpr int kPdfResolution = 96; // so that one unit of the page is one pixel of the screen
constexpr std::array kScales{2.0, 1.0, 4.0}; ///< of PNG, in the order in which they are offered

QString save(const QString& path, const QByteArray& bytes)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return QObject::tr("Could not write %1: %2").arg(QDir::toNativeSeparators(path), file.errorString());
    return {};
}

QString writePng(const Picture& picture, const QString& path, double scale)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!imageOf(picture, scale).save(&buffer, "PNG"))
        return QObject::tr("Could not encode the image.");
    return save(path, bytes);
}

QString writeSvg(const Picture& picture, const QString& path)
{
    QByteArray bytes;
    {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(picture.size);
        generator.setViewBox(QRect(QPoint(), picture.size));
        generator.setTitle(picture.title);
        generator.setDescription(picture.description);
        picture.paint(generator, 1, true);
    }
    return save(path, bytes);
}

QString writePdf(const Picture& picture, const QString& path)
{
    QByteArray bytes;
    {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QPdfWriter writer(&buffer);
        writer.setTitle(picture.title);
        writer.setResolution(kPdfResolution);
        writer.setPageSize(QPageSize(QSizeF(picture.size) * 72.0 / kPdfResolution, QPageSize::Point));
        writer.setPageMargins(QMarginsF());
        picture.paint(writer, 1, true);
    }
    return save(path, bytes);
}

struct NameFilter {
    QString text;
    QString suffix;
    double scale = kPngScale;
};

std::vector<NameFilter> nameFilters(const PictureQuestion& question)
{
    std::vector<NameFilter> filters;
    if (question.hasPicture) {
        for (const double scale : kScales)
            filters.push_back({QObject::tr("Image at %1× (*.png)").arg(scale), QStringLiteral("png"), scale});
        filters.push_back({QObject::tr("Vector image (*.svg)"), QStringLiteral("svg")});
        filters.push_back({QObject::tr("PDF document (*.pdf)"), QStringLiteral("pdf")});
    }
    if (question.hasTable)
        filters.push_back({QObject::tr("Table (*.csv)"), QStringLiteral("csv")});
    return filters;
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

QString writePicture(const Picture& picture, const QString& path, double pngScale)
{
    switch (exportFormat(path)) {
    case ExportFormat::Png:
        return writePng(picture, path, pngScale);
    case ExportFormat::Svg:
        return writeSvg(picture, path);
    case ExportFormat::Pdf:
        return writePdf(picture, path);
    case ExportFormat::Csv:
    case ExportFormat::None:
        break;
    }
    return QObject::tr("Pictures are written as .png, .svg or .pdf, not as “%1”.").arg(QFileInfo(path).fileName());
}

QString writeTable(const ChartTable& table, const QString& path)
{
    return save(path, toCsv(table).toUtf8());
}

QImage imageOf(const Picture& picture, double scale)
{
    QImage image(picture.size * scale, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    picture.paint(image, scale, false);
    return image;
}

void copyTable(const ChartTable& table)
{
    auto data = std::make_unique<QMimeData>();
    data->setText(toTsv(table));
    data->setHtml(toHtml(table));
    QGuiApplication::clipboard()->setMimeData(data.release());
}

void askForPicture(QWidget& over, PictureQuestion question)
{
    auto* dialog = new QFileDialog(&over, question.title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    const std::vector<NameFilter> filters = nameFilters(question);
    QStringList names;
    for (const NameFilter& filter : filters)
        names << filter.text;
    dialog->setNameFilters(names);
    dialog->setDefaultSuffix(filters.front().suffix); // of a name without one
    dialog->selectFile(question.name);
    const auto chosen = std::make_shared<NameFilter>(filters.front());
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, chosen, filters](const QString& text) {
        for (const NameFilter& filter : filters)
            if (filter.text == text)
                *chosen = filter;
        dialog->setDefaultSuffix(chosen->suffix);
    });
    QObject::connect(
        dialog, &QFileDialog::fileSelected, &over, [chosen, question = std::move(question)](const QString& path) {
            const QString problem = question.write(path, chosen->scale);
            question.report(problem.isEmpty(),
                problem.isEmpty() ? QObject::tr("Wrote %1.").arg(QDir::toNativeSeparators(path)) : problem);
        });
    dialog->open();
}

} // namespace stratoplan::widgets
