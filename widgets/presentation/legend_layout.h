// SPDX-License-Identifier: GPL-3.0-or-later
// Entries of a legend flowed into rows.
#pragma once

#include <QRectF>
#include <vector>

namespace stratoplan::widgets {

struct LegendLayout {
    std::vector<QRectF> cells; ///< one per entry, swatch and name together
    double height = 0;
};

/// Flows entries of `widths` into rows no wider than `width`; a single entry may be wider.
[[nodiscard]] LegendLayout layoutLegend(const std::vector<double>& widths, double width, double rowHeight, double gap);

} // namespace stratoplan::widgets
