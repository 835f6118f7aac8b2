// SPDX-License-Identifier: GPL-3.0-or-later
// What a pipeline chart says: names of its rows, its note and legend, tips, tables.
#pragma once

#include "widgets/presentation/gantt_layout.h"

#include <QString>
#include <utility>

namespace stratoplan::widgets {

/// "stage 3 ▸", "memory", …; the second timeline's rows carry its name.
[[nodiscard]] QString rowName(const GanttScene& scene, const GanttRow& row);
[[nodiscard]] std::vector<LegendEntry> legendOf(const GanttScene& scene);
/// How long the step is and what it consists of; of two, what the second changes.
[[nodiscard]] QString noteOf(const GanttScene& scene);
/// The same as a sentence. Precondition: the scene is not empty.
[[nodiscard]] QString describe(const GanttScene& scene);

/// Rich text; "" where there is nothing to say.
[[nodiscard]] QString tipOf(const GanttScene& scene, GanttRef ref);
[[nodiscard]] QString tipAt(const GanttLayout& layout, QPointF at);

/// Slices and waits by stage and start; of an area only what it touches.
[[nodiscard]] ChartTable ganttTable(const GanttScene& scene, const std::optional<GanttArea>& area = {});
/// Title and rows of a table that a person can read: of a long step what is selected, or what is `visible` of it.
/// Nothing where all of it can be read.
[[nodiscard]] std::optional<std::pair<QString, ChartTable>> readablePart(
    const GanttScene& scene, const std::optional<GanttArea>& selected, Interval visible);

} // namespace stratoplan::widgets
