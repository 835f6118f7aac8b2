// SPDX-License-Identifier: GPL-3.0-or-later
// What pointer and keys do to the pipeline chart.
#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"

#include <QApplication>
#include <QKeyEvent>
#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {
constexpr double kKeyZoom = 1.5;
constexpr double kKeyPan = 0.12;
constexpr double kKeyStretch = 0.02;   // of the view
constexpr double kShortestView = 1e-6; // of the makespan
constexpr double kGrab = 4;            // pixels from an edge that take it
constexpr double kSnap = 6;            // pixels from the edge of a slice that measuring snaps to
constexpr double kFitted = 1.5;        // of a slice, the view that fits it
} // namespace

void PipelineChart::setHover(std::optional<GanttRef> ref)
{
    if (ref == m_hover)
        return;
    m_hover = ref;
    replotOverlay(plot());
}

// Of another timeline, or folded away: nothing that was marked is meant any more.
void PipelineChart::dropMarks()
{
    const bool any = m_selected || m_area;
    m_hover.reset();
    m_selected.reset();
    m_area.reset();
    m_measure.reset();
    m_drag = Drag::None;
    if (any)
        Q_EMIT selectionCleared();
}

void PipelineChart::clearMarks()
{
    dropMarks();
    replotOverlay(plot());
}

void PipelineChart::select(std::optional<GanttRef> ref)
{
    if (ref && (ref->timeline >= timelines() || ref->slice >= index(ref->timeline).timeline().slices.size()))
        return;
    if (ref == m_selected && !m_area && !m_measure)
        return;
    if (!ref) {
        clearMarks();
        return;
    }
    m_area.reset();
    m_measure.reset();
    m_selected = ref;
    replotOverlay(plot());
    Q_EMIT sliceSelected(sliceOf(*ref), ref->timeline);
}

void PipelineChart::selectArea(const GanttArea& area)
{
    if (isEmpty())
        return;
    const double shortest = whole().high * kShortestView;
    GanttArea kept = area;
    kept.time.low = std::clamp(std::min(area.time.low, area.time.high), 0.0, whole().high - shortest);
    kept.time.high = std::clamp(std::max(area.time.low, area.time.high), kept.time.low + shortest, whole().high);
    kept.firstStage = std::clamp(std::min(area.firstStage, area.lastStage), 0, m_arrangement.stages - 1);
    kept.lastStage = std::clamp(std::max(area.firstStage, area.lastStage), kept.firstStage, m_arrangement.stages - 1);
    m_selected.reset();
    m_area = kept;
    replotOverlay(plot());
    Q_EMIT areaSelected(areaSums(index(), kept));
}

std::optional<Interval> PipelineChart::measured() const
{
    if (!m_measure)
        return std::nullopt;
    return Interval{std::min(m_measure->from, m_measure->to), std::max(m_measure->from, m_measure->to)};
}

PipelineChart::Drag PipelineChart::edgeAt(QPointF at) const
{
    const auto rect = areaRect();
    if (!rect || at.y() < rect->top() || at.y() > rect->bottom())
        return Drag::None;
    if (std::abs(at.x() - rect->right()) <= kGrab)
        return Drag::HighEdge;
    return std::abs(at.x() - rect->left()) <= kGrab ? Drag::LowEdge : Drag::None;
}

GanttArea PipelineChart::areaBetween(QPointF a, QPointF b) const
{
    const QCPAxis* time = plot().xAxis;
    const QCPAxis* rows = plot().yAxis;
    const auto [top, bottom] = std::minmax(rows->pixelToCoord(a.y()), rows->pixelToCoord(b.y()));
    // Between two stages, or beyond the last: the nearest.
    const auto stages = m_rows.stagesIn(top, std::max(bottom, top + 1e-9)).value_or(GanttRows::Stages{m_arrangement.stages - 1, m_arrangement.stages - 1});
    return {{time->pixelToCoord(a.x()), time->pixelToCoord(b.x())}, stages.first, stages.last};
}

// The nearest edge of the slice under the pointer.
double PipelineChart::snapped(QPointF at) const
{
    const double seconds = std::clamp(plot().xAxis->pixelToCoord(at.x()), 0.0, whole().high);
    for (const double beside : {0.0, -kSnap, kSnap}) {
        const auto ref = refAt({at.x() + beside, at.y()});
        if (!ref)
            continue;
        const Slice& s = sliceOf(*ref);
        const double end = static_cast<double>(s.start) + s.duration;
        const double edge = std::abs(s.start - seconds) <= std::abs(end - seconds) ? static_cast<double>(s.start) : end;
        if (std::abs(plot().xAxis->coordToPixel(edge) - at.x()) <= kSnap)
            return edge;
    }
    return seconds;
}

bool PipelineChart::takesDrag(QPointF at, Qt::KeyboardModifiers modifiers)
{
    m_drag = Drag::None;
    m_dragFrom = at;
    if (modifiers.testFlag(Qt::ShiftModifier) || !inPlot(at))
        return false;
    m_drag = modifiers.testFlag(Qt::ControlModifier) ? Drag::Measure : edgeAt(at);
    if (m_drag == Drag::None)
        m_drag = Drag::Area;
    return true;
}

void PipelineChart::pointerDragged(QPointF to)
{
    const double seconds = std::clamp(plot().xAxis->pixelToCoord(to.x()), 0.0, whole().high);
    switch (m_drag) {
    case Drag::None: return; // given up with Esc
    case Drag::Measure: m_measure = Measure{snapped(m_dragFrom), snapped(to), plot().yAxis->pixelToCoord(m_dragFrom.y())}; break;
    case Drag::Area:
        m_selected.reset();
        m_area = areaBetween(m_dragFrom, to);
        m_area->time = {std::min(m_area->time.low, m_area->time.high), std::max(m_area->time.low, m_area->time.high)};
        break;
    case Drag::LowEdge: m_area->time.low = std::min(seconds, m_area->time.high); break;
    case Drag::HighEdge: m_area->time.high = std::max(seconds, m_area->time.low); break;
    }
    replotOverlay(plot());
}

void PipelineChart::dragEnded()
{
    if (m_drag != Drag::None && m_drag != Drag::Measure && m_area)
        selectArea(*m_area);
    m_drag = Drag::None;
}

void PipelineChart::pointerMoved(QPointF at)
{
    setHover(refAt(at));
    const bool beside = !isEmpty() && at.x() < plot().axisRect()->left() && m_arrangement.canUnfold() && stageAt(at.y()) >= 0;
    if (beside)
        plot().setCursor(Qt::PointingHandCursor);
    else if (edgeAt(at) != Drag::None)
        plot().setCursor(Qt::SizeHorCursor);
    else
        plot().unsetCursor();
    hoverStage(inPlot(at) ? stageAt(at.y()) : -1);
}

void PipelineChart::pointerLeft()
{
    setHover(std::nullopt);
}

void PipelineChart::pointerClicked(QPointF at)
{
    if (!isEmpty() && at.x() < plot().axisRect()->left()) {
        if (const int stage = stageAt(at.y()); stage >= 0 && m_arrangement.canUnfold())
            setUnfolded(stage, !isUnfolded(stage));
        return;
    }
    select(refAt(at));
}

// On a slice: zoom to it and its neighbours; elsewhere the usual fit.
bool PipelineChart::pointerDoubleClicked(QPointF at)
{
    if (at.x() < plot().axisRect()->left())
        return true; // two clicks on the name of a stage
    const auto ref = refAt(at);
    if (!ref)
        return false;
    const Slice& s = sliceOf(*ref);
    const double width = std::max(static_cast<double>(s.duration) * 8, whole().high * kShortestView);
    const double middle = static_cast<double>(s.start) + s.duration / 2.0;
    if (width >= shownX().length())
        return false; // already this close: fit
    showTime({middle - width / 2, middle + width / 2});
    return true;
}

void PipelineChart::showTime(Interval time)
{
    setMoved();
    showRange(confined(time, whole(), 0), shownY());
    replot();
}

void PipelineChart::bringIntoView(GanttRef ref)
{
    const Slice& s = sliceOf(ref);
    const Interval view = shownX();
    const double middle = static_cast<double>(s.start) + s.duration / 2.0;
    if (s.start < view.low || s.start + s.duration > view.high)
        pan(Qt::Horizontal, (middle - (view.low + view.high) / 2) / view.length());
    const Interval rows = m_rows.extent(s.stage);
    const Interval shown = shownY();
    if (rows.low < shown.low || rows.high > shown.high)
        pan(Qt::Vertical, ((rows.low + rows.high) / 2 - (shown.low + shown.high) / 2) / shown.length());
}

// What is selected, first into the middle, then as large as the view.
void PipelineChart::centreOrFit()
{
    Interval time;
    if (m_area)
        time = m_area->time;
    else
        time = {sliceOf(*m_selected).start, static_cast<double>(sliceOf(*m_selected).start) + sliceOf(*m_selected).duration};
    if (m_selected)
        bringIntoView(*m_selected);
    const Interval view = shownX();
    const double middle = (time.low + time.high) / 2;
    const Interval centred = confined({middle - view.length() / 2, middle + view.length() / 2}, {0, whole().high * 1.005}, 0);
    const double pixel = view.length() / plot().axisRect()->width();
    if (std::abs(centred.low - view.low) > pixel) {
        showTime(centred);
        return;
    }
    const double half = std::max(time.length() * kFitted, whole().high * kShortestView) / 2;
    showTime({middle - half, middle + half});
}

void PipelineChart::step(int direction)
{
    std::optional<GanttRef> next;
    if (m_selected) {
        if (const auto slice = index(m_selected->timeline).neighbour(m_selected->slice, direction))
            next = GanttRef{m_selected->timeline, *slice};
    } else if (m_hover) {
        next = m_hover;
    } else if (const GanttLane& first = index().lane(0, LaneKind::Work); first.size() > 0) {
        const GanttIndex::Range range = GanttIndex::visible(first, shownX().low, shownX().high);
        next = GanttRef{0, first.slice[range.first < range.last ? range.first : 0]};
    }
    if (!next)
        return;
    select(next);
    bringIntoView(*next);
    announce(sliceRect(*next).center(), toolTipOf(*next));
}

// The slice at the same time on the next row that has one.
void PipelineChart::stepRow(int direction)
{
    const Slice& s = sliceOf(*m_selected);
    const std::vector<GanttRow>& rows = m_rows.all();
    const LaneKind lane = index(m_selected->timeline).laneOf(s);
    const GanttRow* row = m_rows.find(s.stage, lane, m_selected->timeline);
    if (!row)
        row = m_rows.work(s.stage, m_selected->timeline);
    const double middle = static_cast<double>(s.start) + s.duration / 2.0;
    for (auto i = row - rows.data() + direction; i >= 0 && i < static_cast<std::ptrdiff_t>(rows.size()); i += direction) {
        const GanttRow& other = rows[static_cast<std::size_t>(i)];
        if (other.kind != GanttRow::Kind::Lane)
            continue;
        const auto slice = index(other.timeline).at(other.stage, other.lane, middle);
        if (!slice)
            continue;
        const GanttRef next{other.timeline, *slice};
        select(next);
        bringIntoView(next);
        announce(sliceRect(next).center(), toolTipOf(next));
        return;
    }
}

// The area around what is selected; with nothing selected, all that is visible.
void PipelineChart::selectAreaOfMarked()
{
    if (m_selected) {
        const Slice& s = sliceOf(*m_selected);
        selectArea({{s.start, static_cast<double>(s.start) + s.duration}, s.stage, s.stage});
    } else {
        const auto stages = m_rows.stagesIn(shownY().low, shownY().high).value_or(GanttRows::Stages{0, m_arrangement.stages - 1});
        selectArea({shownX(), stages.first, stages.last});
    }
}

void PipelineChart::stretchArea(Qt::Key key)
{
    GanttArea area = *m_area;
    const double by = shownX().length() * kKeyStretch;
    switch (key) {
    case Qt::Key_Right: area.time.high += by; break;
    case Qt::Key_Left: area.time.high = std::max(area.time.high - by, area.time.low); break;
    case Qt::Key_D: area.time.low = std::min(area.time.low + by, area.time.high); break;
    case Qt::Key_A: area.time.low -= by; break;
    case Qt::Key_Down: ++area.lastStage; break;
    case Qt::Key_Up: area.lastStage = std::max(area.lastStage - 1, area.firstStage); break;
    default: return;
    }
    selectArea(area);
}

void PipelineChart::toggleFold()
{
    if (!m_arrangement.canUnfold())
        return;
    const int stage = m_selected ? sliceOf(*m_selected).stage : m_hover ? sliceOf(*m_hover).stage : linkedStage() >= 0 ? linkedStage() : stageAt(plot().axisRect()->top() + 1.0);
    setUnfolded(stage, !isUnfolded(stage));
}

bool PipelineChart::keyPressed(QKeyEvent& event)
{
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier))
        return false; // a command of the window
    if (event.key() == Qt::Key_Escape) {
        if (!m_selected && !m_area && !m_measure)
            return false;
        clearMarks();
        return true;
    }
    return arrowPressed(event) || letterPressed(event);
}

bool PipelineChart::arrowPressed(QKeyEvent& event)
{
    const auto key = static_cast<Qt::Key>(event.key());
    const bool arrow = key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
    const bool shifted = event.modifiers().testFlag(Qt::ShiftModifier);
    if (m_area && shifted && (arrow || key == Qt::Key_A || key == Qt::Key_D)) {
        stretchArea(key);
        return true;
    }
    if (m_selected && !shifted && (key == Qt::Key_Up || key == Qt::Key_Down)) {
        stepRow(key == Qt::Key_Down ? 1 : -1);
        return true;
    }
    return false;
}

bool PipelineChart::letterPressed(QKeyEvent& event)
{
    const QRect rect = plot().axisRect()->rect();
    const double pointer = plot().mapFromGlobal(QCursor::pos()).x();
    const double anchor = pointer > rect.left() && pointer < rect.right() ? pointer : rect.center().x();
    const bool shifted = event.modifiers().testFlag(Qt::ShiftModifier);
    switch (event.key()) {
    case Qt::Key_W: zoom(Qt::Horizontal, kKeyZoom, anchor); return true;
    case Qt::Key_S: zoom(Qt::Horizontal, 1 / kKeyZoom, anchor); return true;
    case Qt::Key_A: pan(Qt::Horizontal, -kKeyPan); return true;
    case Qt::Key_D: pan(Qt::Horizontal, kKeyPan); return true;
    case Qt::Key_Period: step(1); return true;
    case Qt::Key_Comma: step(-1); return true;
    case Qt::Key_M: selectAreaOfMarked(); return true;
    case Qt::Key_E:
        if (shifted)
            setAllUnfolded(std::find(m_arrangement.unfolded.begin(), m_arrangement.unfolded.end(), false) != m_arrangement.unfolded.end());
        else
            toggleFold();
        return true;
    case Qt::Key_F:
        if (shifted)
            fitAll();
        else if (m_selected || m_area)
            centreOrFit();
        else
            return false; // fits
        return true;
    default: return false;
    }
}

} // namespace stratoplan
