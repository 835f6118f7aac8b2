// SPDX-License-Identifier: GPL-3.0-or-later
// What marks, labels and colours of a partition grid mean, in a line or two; its tooltip says all of it.
#pragma once

#include "widgets/presentation/partition_legend.h"

#include <QWidget>

namespace stratoplan::widgets {

class GridLegend : public QWidget {
    Q_OBJECT
public:
    explicit GridLegend(QWidget* parent = nullptr);

    void setLegend(PartitionLegend legend);
    /// The most that it takes; entries beyond them are left to the tooltip.
    void setLines(int lines);
    /// Of those entries that there is room for.
    [[nodiscard]] QStringList shownTexts() const;
    void paint(QPainter& painter) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Placed {
        const GridLegendEntry* entry;
        QRectF text;
    };
    [[nodiscard]] std::vector<Placed> places() const;
    [[nodiscard]] double lineHeight() const;

    PartitionLegend m_legend;
    int m_lines = 2;
};

} // namespace stratoplan::widgets
