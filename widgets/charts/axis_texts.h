// SPDX-License-Identifier: GPL-3.0-or-later
// The labels of the axes: of each the first of its texts that fits along it, the last one elided where none does.
#pragma once

#include <QObject>
#include <QSize>
#include <QStringList>

class QCustomPlot;

namespace stratoplan::widgets {

class AxisTexts final : public QObject {
    Q_OBJECT
public:
    AxisTexts(QCustomPlot& plot, QObject* parent);

    void setTexts(Qt::Orientation axis, QStringList texts);

private:
    void layOutAnew();
    void fit();

    QCustomPlot& m_plot;
    QStringList m_textsX, m_textsY;
    QSize m_ticksFor; ///< size of the axis rectangle that the ticks were made for
};

} // namespace stratoplan::widgets
