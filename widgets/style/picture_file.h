// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown as files and on the clipboard: a picture as PNG at a scale, SVG or PDF, a table as CSV, as tabs and as
// HTML. Files look as they print, in the light theme, whatever the theme of the window.
#pragma once

#include "widgets/presentation/table.h"

#include <QImage>
#include <QSize>
#include <QString>

#include <functional>

class QPaintDevice;
class QWidget;

namespace stratoplan::widgets {

enum class ExportFormat { None, Png, Svg, Pdf, Csv };
/// By the suffix.
[[nodiscard]] ExportFormat exportFormat(const QString& path);

inline constexpr double kPngScale = 2; ///< of a PNG, where none is chosen

struct Picture {
    QSize size; ///< in pixels of the screen, at a scale of 1
    QString title;
    QString description; ///< in one sentence, for those who do not see it
    /// Paints all of it; `vector`: of shapes and letters.
    std::function<void(QPaintDevice& device, double scale, bool vector)> paint;
};

/// By the suffix of `path`, but no table. Returns "" or why not.
[[nodiscard]] QString writePicture(const Picture& picture, const QString& path, double pngScale = kPngScale);
/// CSV. Returns "" or why not.
[[nodiscard]] QString writeTable(const ChartTable& table, const QString& path);

[[nodiscard]] QImage imageOf(const Picture& picture, double scale = kPngScale);
/// As text with tabs, and as HTML, which documents and spreadsheets paste as a table.
void copyTable(const ChartTable& table);

/// A question for a file of any of the formats.
struct PictureQuestion {
    QString title;
    QString name; ///< suggested, without a suffix
    bool hasPicture = true; ///< PNG, SVG and PDF are offered
    bool hasTable = true; ///< CSV is
    std::function<QString(const QString& path, double pngScale)> write; ///< "" or why not
    std::function<void(bool good, const QString& text)> report;
};
/// Asks over the widget without stopping anyone.
void askForPicture(QWidget& over, PictureQuestion question);

} // namespace stratoplan::widgets
