// SPDX-License-Identifier: GPL-3.0-or-later
// What every chart puts into its QCustomPlot: layers painted by a function, tickers that know units and names, and
// the theme. QCustomPlot itself stays out of headers.
#pragma once

#include "widgets/presentation/axis.h"
#include "widgets/presentation/tokens.h"

#include <functional>
#include <vector>

class QCPAxis;
class QCustomPlot;
class QFont;
class QPainter;

namespace stratoplan::widgets {

using PaintFunction = std::function<void(QPainter&)>;

/// Paints between the grid and the axes, clipped to the axis rectangle.
void addMarks(QCustomPlot& plot, PaintFunction paint);
/// Paints on a layer of its own above all, which replots alone: call replotOverlay after a change.
void addOverlay(QCustomPlot& plot, PaintFunction paint);
void replotOverlay(QCustomPlot& plot);
/// Paints in the margin above the axis rectangle, in its width.
void addTopStrip(QCustomPlot& plot, PaintFunction paint);

/// As many ticks at round numbers of `unit` as stand apart in the axis' font, at most ten. `withUnit` writes it behind
/// each number.
void setUnitTicks(QCPAxis& axis, const AxisUnit& unit, bool withUnit = false);

struct Category {
    double at = 0;
    QString name;
    bool always = false; ///< labelled even where others are thinned out
};
/// A name at each position; thinned (every second, fourth, …) where they would touch. `labelPixels` is their extent
/// along the axis.
void setCategoryTicks(QCPAxis& axis, std::vector<Category> categories, double labelPixels);

/// Colours and fonts of everything QCustomPlot draws itself; it follows no palette.
void applyPlotTheme(QCustomPlot& plot, const Tokens& tokens, const QFont& font);

} // namespace stratoplan::widgets
