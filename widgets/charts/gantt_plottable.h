// SPDX-License-Identifier: GPL-3.0-or-later
// The Gantt chart as QCustomPlot sees it: one plottable over however many slices, and a strip above the plot.
#pragma once

#include "widgets/presentation/axis.h"

#include <QPointF>
#include <functional>
#include <string>
#include <vector>

class QCustomPlot;
class QCPAxis;
class QPainter;

namespace stratoplan::widgets {

struct GanttPlottableParts {
    /// Draws into the axis rectangle; `vector`: for a file of shapes, not of pixels.
    std::function<void(QPainter& painter, bool vector)> paint;
    std::function<Interval()> time; ///< of all slices; empty where low == high
    std::function<Interval()> rows;
    std::function<bool(QPointF at)> hits; ///< is there a slice at this pixel?
};
void addGanttPlottable(QCustomPlot& plot, GanttPlottableParts parts);

/// Names of rows of different heights along an axis: those whose row is at least `labelPixels` high, or as many of
/// them, evenly, as keep apart.
struct RowName {
    double middle = 0;
    double height = 1;
    QString name;
    bool main = true; ///< the others are left out first
};
void setRowTicks(QCPAxis& axis, std::vector<RowName> rows, double labelPixels);

} // namespace stratoplan::widgets
