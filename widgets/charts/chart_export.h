// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as files.
#pragma once

#include "widgets/presentation/table.h"
#include "widgets/presentation/tokens.h"

#include <QFont>
#include <QSize>
#include <QString>

class QCustomPlot;
class QPaintDevice;

namespace stratoplan::widgets {

class ChartView;
class LegendRow;

enum class ExportFormat { None, Png, Svg, Pdf, Csv };
/// By the suffix.
[[nodiscard]] ExportFormat exportFormat(const QString& path);

/// Asks for a file without stopping anyone; ChartView::reported() tells the end.
void exportWithDialog(ChartView& chart);

/// Returns "" or why not, as does the next.
[[nodiscard]] QString exportTable(const ChartTable& table, const QString& path);

/// A chart with its title and legend, in the size it has on screen.
class ChartPicture {
public:
    struct Parts {
        QCustomPlot& plot;
        const LegendRow& legend;
        QString title;
        QFont titleFont;
        QString note;
        QFont font;
        QString description;
        const Tokens& look;
    };
    explicit ChartPicture(const Parts& parts);

    /// png (twice the resolution), svg or pdf.
    [[nodiscard]] QString write(const QString& path) const;

private:
    [[nodiscard]] QString writePng(const QString& path) const;
    [[nodiscard]] QString writeSvg(const QString& path) const;
    [[nodiscard]] QString writePdf(const QString& path) const;
    void paint(QPaintDevice& device, double scale, bool vector) const;

    Parts m_parts;
    QSize m_size; ///< of the whole picture, in pixels of the screen
};

} // namespace stratoplan::widgets
