// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/presentation/gantt_selection.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stratoplan::widgets {

namespace {
constexpr double kGrab = 4; // pixels from an edge that take it
constexpr double kFitted = 1.5; // of a slice, the view that fits it

std::optional<GanttCommand> shiftedCommand(Qt::Key key)
{
    switch (key) {
    case Qt::Key_I:
        return GanttCommand::PreviousWait;
    case Qt::Key_E:
        return GanttCommand::ToggleAllFolds;
    case Qt::Key_F:
        return GanttCommand::FitAll;
    default:
        return std::nullopt;
    }
}

std::optional<GanttCommand> letterCommand(Qt::Key key)
{
    using enum GanttCommand;
    static constexpr std::array<std::pair<Qt::Key, GanttCommand>, 11> table{
        {{Qt::Key_W, ZoomIn}, {Qt::Key_S, ZoomOut}, {Qt::Key_A, PanLeft}, {Qt::Key_D, PanRight},
            {Qt::Key_Period, NextMark}, {Qt::Key_Comma, PreviousMark}, {Qt::Key_I, NextWait}, {Qt::Key_M, SelectArea},
            {Qt::Key_C, ToggleCriticalPath}, {Qt::Key_BracketLeft, SelectCause}, {Qt::Key_E, ToggleFold}}};
    const auto entry = std::find_if(table.begin(), table.end(), [&](const auto& each) { return each.first == key; });
    return entry != table.end() ? std::optional(entry->second) : std::nullopt;
}
} // namespace

GanttDrag::Kind edgeAt(const GanttLayout& layout, const GanttSelection& selection, QPointF at)
{
    if (!selection.area || layout.scene().isEmpty())
        return GanttDrag::Kind::None;
    const QRectF rect = layout.areaRect(*selection.area);
    if (at.y() < rect.top() || at.y() > rect.bottom())
        return GanttDrag::Kind::None;
    if (std::abs(at.x() - rect.right()) <= kGrab)
        return GanttDrag::Kind::HighEdge;
    return std::abs(at.x() - rect.left()) <= kGrab ? GanttDrag::Kind::LowEdge : GanttDrag::Kind::None;
}

GanttDrag dragFrom(const GanttLayout& layout, const GanttSelection& selection, QPointF at, bool measures)
{
    if (measures)
        return {GanttDrag::Kind::Measure, at};
    const GanttDrag::Kind edge = edgeAt(layout, selection, at);
    return {edge == GanttDrag::Kind::None ? GanttDrag::Kind::Area : edge, at};
}

void dragTo(GanttSelection& selection, const GanttDrag& drag, const GanttLayout& layout, QPointF to)
{
    const double seconds = layout.secondsAt(to);
    switch (drag.kind) {
    case GanttDrag::Kind::None:
        break;
    case GanttDrag::Kind::Measure:
        selection.measure = {layout.snapped(drag.from), layout.snapped(to), layout.view().rowAt(drag.from.y())};
        break;
    case GanttDrag::Kind::Area:
        selection.selected.reset();
        selection.area = layout.areaBetween(drag.from, to);
        break;
    case GanttDrag::Kind::LowEdge:
        selection.area->time.low = std::min(seconds, selection.area->time.high);
        break;
    case GanttDrag::Kind::HighEdge:
        selection.area->time.high = std::max(seconds, selection.area->time.low);
        break;
    }
}

std::optional<GanttCommand> commandOf(Qt::Key key, Qt::KeyboardModifiers modifiers, const GanttSelection& selection)
{
    if (modifiers & (Qt::ControlModifier | Qt::AltModifier))
        return std::nullopt; // a command of the window
    const bool any = selection.selected || selection.area;
    if (key == Qt::Key_Escape)
        return any || selection.measure ? std::optional(GanttCommand::ClearMarks) : std::nullopt;
    const bool vertical = key == Qt::Key_Up || key == Qt::Key_Down;
    const bool arrow = vertical || key == Qt::Key_Left || key == Qt::Key_Right;
    const bool shifted = modifiers.testFlag(Qt::ShiftModifier);
    if (selection.area && shifted && (arrow || key == Qt::Key_A || key == Qt::Key_D))
        return GanttCommand::StretchArea;
    if (selection.selected && !shifted && vertical)
        return key == Qt::Key_Down ? GanttCommand::RowBelow : GanttCommand::RowAbove;
    const auto command = shifted ? shiftedCommand(key) : std::nullopt;
    if (!command && key == Qt::Key_F)
        return any ? std::optional(GanttCommand::FitMarked) : std::nullopt; // else the chart fits
    return command ? command : letterCommand(key);
}

std::optional<GanttRef> markBeside(
    const GanttScene& scene, const GanttSelection& selection, Interval visible, int direction)
{
    if (!selection.selected) {
        const GanttLane& first = scene.index().lane(0, LaneKind::Work);
        if (selection.hovered || first.size() == 0)
            return selection.hovered;
        const GanttIndex::Range range = GanttIndex::visible(first, visible.low, visible.high);
        return GanttRef{0, first.slice[range.first < range.last ? range.first : 0]};
    }
    const GanttRef from = *selection.selected;
    const GanttIndex& shown = scene.index(from.timeline);
    const GanttPlace place = scene.placeOf(from);
    const auto slice =
        from.isWait ? shown.workBeside(place.stage, place.middle(), direction) : shown.neighbour(from.slice, direction);
    std::optional<GanttRef> next;
    if (slice)
        next = GanttRef{from.timeline, *slice};
    const auto wait =
        scene.laneOf(from) == LaneKind::Work ? shown.waitBeside(place.stage, place.middle(), direction) : std::nullopt;
    const GanttRef ofWait{from.timeline, wait.value_or(0), true};
    if (wait && (!next || direction * (scene.placeOf(ofWait).middle() - scene.placeOf(*next).middle()) < 0))
        next = ofWait;
    return next;
}

std::optional<GanttRef> waitBeside(const GanttScene& scene, const GanttSelection& selection, int direction)
{
    const auto from = selection.pointed();
    if (!from)
        return scene.index().timeline().waits.empty() ? std::nullopt : std::optional(GanttRef{0, 0, true});
    const GanttPlace place = scene.placeOf(*from);
    const auto wait = scene.index(from->timeline).waitBeside(place.stage, place.middle(), direction);
    return wait ? std::optional(GanttRef{from->timeline, *wait, true}) : std::nullopt;
}

std::optional<GanttRef> markOnNextRow(const GanttScene& scene, GanttRef from, int direction)
{
    const GanttPlace place = scene.placeOf(from);
    const std::vector<GanttRow>& rows = scene.rows().all();
    const GanttRow* row = scene.rows().find(place.stage, scene.laneOf(from), from.timeline);
    if (!row)
        row = scene.rows().work(place.stage, from.timeline);
    const auto count = static_cast<std::ptrdiff_t>(rows.size());
    for (auto i = row - rows.data() + direction; i >= 0 && i < count; i += direction) {
        const GanttRow& other = rows[static_cast<std::size_t>(i)];
        if (other.kind != GanttRow::Kind::Lane)
            continue;
        const GanttIndex& shown = scene.index(other.timeline);
        if (const auto slice = shown.at(other.stage, other.lane, place.middle()))
            return GanttRef{other.timeline, *slice};
        if (const pipeline::Wait* wait = other.isWork() ? shown.waitAt(other.stage, place.middle()) : nullptr)
            return GanttRef{other.timeline, shown.indexOf(*wait), true};
    }
    return std::nullopt;
}

GanttArea areaOfMarked(const GanttLayout& layout, const GanttSelection& selection)
{
    if (selection.selected) {
        const GanttPlace place = layout.scene().placeOf(*selection.selected);
        return {place.time, place.stage, place.stage};
    }
    const auto [time, rows] = std::pair(layout.view().time, layout.view().rows);
    const auto stages = layout.scene().rows().stagesIn(rows.low, rows.high);
    return {time, stages ? stages->first : 0, stages ? stages->last : layout.scene().arrangement().stages - 1};
}

GanttArea stretched(GanttArea area, Qt::Key key, double seconds)
{
    switch (key) {
    case Qt::Key_Right:
        area.time.high += seconds;
        break;
    case Qt::Key_Left:
        area.time.high = std::max(area.time.high - seconds, area.time.low);
        break;
    case Qt::Key_D:
        area.time.low = std::min(area.time.low + seconds, area.time.high);
        break;
    case Qt::Key_A:
        area.time.low -= seconds;
        break;
    case Qt::Key_Down:
        ++area.lastStage;
        break;
    case Qt::Key_Up:
        area.lastStage = std::max(area.lastStage - 1, area.firstStage);
        break;
    default:
        break;
    }
    return area;
}

Interval centredOrFitted(const GanttLayout& layout, Interval marked)
{
    const Interval view = layout.view().time;
    const double end = layout.scene().whole().high;
    const double middle = (marked.low + marked.high) / 2;
    const Interval centred = confined({middle - view.length() / 2, middle + view.length() / 2}, {0, end * 1.005}, 0);
    const double pixel = view.length() / layout.view().plot.width();
    if (std::abs(centred.low - view.low) > pixel)
        return centred;
    const double half = std::max(marked.length() * kFitted, end * kShortestView) / 2;
    return {middle - half, middle + half};
}

} // namespace stratoplan::widgets
