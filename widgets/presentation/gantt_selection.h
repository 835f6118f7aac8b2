// SPDX-License-Identifier: GPL-3.0-or-later
// What a person has marked in a pipeline chart, how dragging changes it, and where the keys lead from it.
#pragma once

#include "widgets/presentation/gantt_layout.h"

#include <Qt>
#include <algorithm>

namespace stratoplan::widgets {

struct GanttMeasure {
    double from = 0; ///< seconds
    double to = 0;
    double row = 0; ///< in heights of a row of work
    [[nodiscard]] Interval time() const { return {std::min(from, to), std::max(from, to)}; }
};

struct GanttSelection {
    std::optional<GanttRef> hovered;
    std::optional<GanttRef> selected;
    std::optional<GanttArea> area;
    std::optional<GanttMeasure> measure;
    /// What pointer or keyboard point at.
    [[nodiscard]] std::optional<GanttRef> pointed() const { return selected ? selected : hovered; }
};

struct GanttDrag {
    enum class Kind { None, Area, LowEdge, HighEdge, Measure };
    Kind kind = Kind::None;
    QPointF from;
};
/// The edge of the area that can be taken there, or None.
[[nodiscard]] GanttDrag::Kind edgeAt(const GanttLayout& layout, const GanttSelection& selection, QPointF at);
/// What dragging from a place begins; `measures`: a measure of time, whatever is there.
[[nodiscard]] GanttDrag dragFrom(const GanttLayout& layout, const GanttSelection& selection, QPointF at, bool measures);
void dragTo(GanttSelection& selection, const GanttDrag& drag, const GanttLayout& layout, QPointF to);

/// What the keys ask of a pipeline chart.
enum class GanttCommand {
    ClearMarks,
    StretchArea,
    RowBelow,
    RowAbove,
    ZoomIn,
    ZoomOut,
    PanLeft,
    PanRight,
    NextMark,
    PreviousMark,
    NextWait,
    PreviousWait,
    SelectCause,
    SelectArea,
    ToggleCriticalPath,
    ToggleFold,
    ToggleAllFolds,
    FitAll,
    FitMarked,
};
/// Nothing where the key has no meaning to the chart, given what is selected.
[[nodiscard]] std::optional<GanttCommand> commandOf(
    Qt::Key key, Qt::KeyboardModifiers modifiers, const GanttSelection& selection);

// Where the keys lead; nothing where there is nothing further on.

/// Along a lane, `direction` ±1; along a row of work the waits have their turn between the slices. At first what is
/// pointed at, or the first slice that is visible.
[[nodiscard]] std::optional<GanttRef> markBeside(
    const GanttScene& scene, const GanttSelection& selection, Interval visible, int direction);
/// From wait to wait of a stage; at first the one next to what is pointed at, or the first that any stage has.
[[nodiscard]] std::optional<GanttRef> waitBeside(
    const GanttScene& scene, const GanttSelection& selection, int direction);
/// The slice or wait at the same time on the next row that has one.
[[nodiscard]] std::optional<GanttRef> markOnNextRow(const GanttScene& scene, GanttRef from, int direction);
/// The area around what is selected; with nothing selected, all that is visible.
[[nodiscard]] GanttArea areaOfMarked(const GanttLayout& layout, const GanttSelection& selection);
/// `area` with an edge moved by an arrow (its end, its last stage) or A and D (its beginning).
[[nodiscard]] GanttArea stretched(GanttArea area, Qt::Key key, double seconds);
/// What is visible once the marked time is in its middle; once it is, as large as the view.
[[nodiscard]] Interval centredOrFitted(const GanttLayout& layout, Interval marked);

} // namespace stratoplan::widgets
