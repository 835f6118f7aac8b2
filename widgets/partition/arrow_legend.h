// SPDX-License-Identifier: GPL-3.0-or-later
// What the lines of a partition grid mean, in a row.
#pragma once

#include <QWidget>

namespace stratoplan::widgets {

class ArrowLegend : public QWidget {
    Q_OBJECT
public:
    explicit ArrowLegend(QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace stratoplan::widgets
