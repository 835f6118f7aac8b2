// SPDX-License-Identifier: GPL-3.0-or-later
// What is marked in the pipeline chart, and what the pointer does.
#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/plot_parts.h"
#include "widgets/charts/qcp.h"

#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {
constexpr double kGrab = 4; // pixels from an edge that take it
constexpr double kSnap = 6; // pixels from the edge of a slice that measuring snaps to
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
    if (ref
        && (ref->timeline >= timelines()
            || ref->slice >= (ref->isWait ? index(ref->timeline).timeline().waits.size()
                                          : index(ref->timeline).timeline().slices.size())))
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
    if (ref->isWait)
        Q_EMIT waitSelected(waitOf(*ref), ref->timeline);
    else
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
    const auto stages = m_rows.stagesIn(top, std::max(bottom, top + 1e-9))
                            .value_or(GanttRows::Stages{m_arrangement.stages - 1, m_arrangement.stages - 1});
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
    case Drag::None:
        return; // given up with Esc
    case Drag::Measure:
        m_measure = Measure{snapped(m_dragFrom), snapped(to), plot().yAxis->pixelToCoord(m_dragFrom.y())};
        break;
    case Drag::Area:
        m_selected.reset();
        m_area = areaBetween(m_dragFrom, to);
        m_area->time = {std::min(m_area->time.low, m_area->time.high), std::max(m_area->time.low, m_area->time.high)};
        break;
    case Drag::LowEdge:
        m_area->time.low = std::min(seconds, m_area->time.high);
        break;
    case Drag::HighEdge:
        m_area->time.high = std::max(seconds, m_area->time.low);
        break;
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
    setHover(markAt(at));
    const bool beside =
        !isEmpty() && at.x() < plot().axisRect()->left() && m_arrangement.canUnfold() && stageAt(at.y()) >= 0;
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
    select(markAt(at));
}

// On a slice or a wait: zoom to it and its neighbours; elsewhere the usual fit.
bool PipelineChart::pointerDoubleClicked(QPointF at)
{
    if (at.x() < plot().axisRect()->left())
        return true; // two clicks on the name of a stage
    const auto ref = markAt(at);
    if (!ref)
        return false;
    const Place place = placeOf(*ref);
    const double width = std::max(place.time.length() * 8, whole().high * kShortestView);
    const double middle = place.middle();
    if (width >= shownX().length())
        return false; // already this close: fit
    showTime({middle - width / 2, middle + width / 2});
    return true;
}

} // namespace stratoplan
