// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of a divided operator as a picture, with what they show in words above and the legend below.
#pragma once

#include "widgets/style/picture_file.h"

#include <QString>

namespace stratoplan::widgets {

class GridLegend;
class PartitionGrid;

/// As it prints. Refers to grid and legend.
[[nodiscard]] Picture gridPicture(
    const PartitionGrid& grid, const GridLegend& legend, const QString& title, const QString& sentence);

} // namespace stratoplan::widgets
