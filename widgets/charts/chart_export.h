// SPDX-License-Identifier: GPL-3.0-or-later
// A chart with its title and legend as a picture, in the size it has on screen.
#pragma once

#include "widgets/presentation/tokens.h"
#include "widgets/style/picture_file.h"

#include <QFont>
#include <QString>

class QCustomPlot;

namespace stratoplan::widgets {

class LegendRow;

struct ChartParts {
    QCustomPlot& plot;
    const LegendRow& legend;
    QString title;
    QFont titleFont;
    QString note;
    QFont font;
    QString description;
    const Tokens& look;
};
/// Refers to plot, legend and look.
[[nodiscard]] Picture chartPicture(const ChartParts& parts);

} // namespace stratoplan::widgets
