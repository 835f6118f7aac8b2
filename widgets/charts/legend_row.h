// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of a chart, outside its plot: swatches and names that wrap to the width there is.
#pragma once

#include "widgets/presentation/stacks.h"

#include <QWidget>
#include <vector>

namespace stratoplan::widgets {

class LegendRow : public QWidget {
    Q_OBJECT
public:
    explicit LegendRow(QWidget* parent = nullptr);

    void setEntries(std::vector<LegendEntry> entries);
    [[nodiscard]] const std::vector<LegendEntry>& entries() const { return m_entries; }

    /// Paints the legend into a width of any painter; returns the height used.
    double paint(QPainter& painter, double width, const Tokens& tokens) const;
    /// Rectangles of the entries for the current width, for tests.
    [[nodiscard]] std::vector<QRectF> cells(double width) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] std::vector<double> widths() const;
    [[nodiscard]] double rowHeight() const;

    std::vector<LegendEntry> m_entries;
};

} // namespace stratoplan::widgets
