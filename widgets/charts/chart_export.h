// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>

class QPaintDevice;

namespace stratoplan {

class ChartView;

/// Writes a chart with its title and legend to a file, in the light theme and the size it has on screen.
class ChartExport {
public:
    explicit ChartExport(ChartView& chart);

    /// By suffix: png (twice the resolution), svg, pdf, csv. Returns "" or why not.
    [[nodiscard]] QString write(const QString& path);

private:
    [[nodiscard]] QString writePng(const QString& path);
    [[nodiscard]] QString writeSvg(const QString& path);
    [[nodiscard]] QString writePdf(const QString& path);
    [[nodiscard]] QString writeCsv(const QString& path);
    void paint(QPaintDevice& device, double scale, bool vector);

    ChartView& m_chart;
    QSize m_size; ///< of the whole picture, in pixels of the screen
};

} // namespace stratoplan
