// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/legend_layout.h"

namespace stratoplan::widgets {

LegendLayout layoutLegend(const std::vector<double>& widths, double width, double rowHeight, double gap)
{
    LegendLayout layout;
    layout.cells.reserve(widths.size());
    double x = 0;
    double y = 0;
    for (const double w : widths) {
        if (x > 0 && x + w > width) {
            x = 0;
            y += rowHeight;
        }
        layout.cells.emplace_back(x, y, w, rowHeight);
        x += w + gap;
    }
    layout.height = widths.empty() ? 0 : y + rowHeight;
    return layout;
}

} // namespace stratoplan::widgets
