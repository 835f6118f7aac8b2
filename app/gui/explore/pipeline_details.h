// SPDX-License-Identifier: GPL-3.0-or-later
// What the details panel says about the pipeline chart: a slice, an area, two timelines compared. Pure functions of
// values.
#pragma once

#include "app/gui/explore/details_text.h"
#include "widgets/presentation/gantt.h"
#include "widgets/presentation/gantt_sums.h"

#include <vector>

namespace stratoplan::gui {

/// One slice: when it ran, what it waited for, what it moved over which link, and what its stage does for a
/// micro-batch. `plan` and `estimate` are those that the timeline of `index` was simulated for.
[[nodiscard]] widgets::DetailSections sliceDetails(
    std::uint32_t slice, const widgets::GanttIndex& index, const plan::Plan& plan, const estimate::Estimate& estimate);
/// One wait: when, how long, for what, and what ended it.
[[nodiscard]] widgets::DetailSections waitDetails(
    std::uint32_t wait, const widgets::GanttIndex& index, const estimate::Estimate& estimate);
/// Sums by kind and by cause over an area: of one timeline, without a name, or of those that are compared.
struct NamedSums {
    widgets::AreaSums sums;
    QString name;
};
[[nodiscard]] widgets::DetailSections areaDetails(const std::vector<NamedSums>& timelines);
/// Where the waits of two timelines differ, by cause.
[[nodiscard]] widgets::DetailSections differenceDetails(
    const widgets::WaitDifference& difference, const QString& first, const QString& second);

} // namespace stratoplan::gui
