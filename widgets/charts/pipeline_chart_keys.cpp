// SPDX-License-Identifier: GPL-3.0-or-later
// What the keys do to the pipeline chart.
#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/qcp.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

namespace stratoplan {

namespace {
constexpr double kKeyZoom = 1.5;
constexpr double kKeyPan = 0.12;
constexpr double kKeyStretch = 0.02; // of the view
constexpr double kFitted = 1.5; // of a slice, the view that fits it
} // namespace

void PipelineChart::showTime(Interval time)
{
    setMoved();
    showRange(confined(time, whole(), 0), shownY());
    replot();
}

void PipelineChart::bringIntoView(GanttRef ref)
{
    const Place place = placeOf(ref);
    const Interval view = shownX();
    if (place.time.low < view.low || place.time.high > view.high)
        pan(Qt::Horizontal, (place.middle() - (view.low + view.high) / 2) / view.length());
    const Interval rows = m_rows.extent(place.stage);
    const Interval shown = shownY();
    if (rows.low < shown.low || rows.high > shown.high)
        pan(Qt::Vertical, ((rows.low + rows.high) / 2 - (shown.low + shown.high) / 2) / shown.length());
}

// What is selected, first into the middle, then as large as the view.
void PipelineChart::centreOrFit()
{
    const Interval time = m_area ? m_area->time : placeOf(*m_selected).time;
    if (m_selected)
        bringIntoView(*m_selected);
    const Interval view = shownX();
    const double middle = (time.low + time.high) / 2;
    const Interval centred =
        confined({middle - view.length() / 2, middle + view.length() / 2}, {0, whole().high * 1.005}, 0);
    const double pixel = view.length() / plot().axisRect()->width();
    if (std::abs(centred.low - view.low) > pixel) {
        showTime(centred);
        return;
    }
    const double half = std::max(time.length() * kFitted, whole().high * kShortestView) / 2;
    showTime({middle - half, middle + half});
}

// Along a row of work the waits have their turn between the slices.
void PipelineChart::step(int direction)
{
    std::optional<GanttRef> next;
    if (m_selected) {
        const GanttIndex& shown = index(m_selected->timeline);
        const Place place = placeOf(*m_selected);
        const bool alongWork = m_selected->isWait || shown.laneOf(sliceOf(*m_selected)) == LaneKind::Work;
        const auto slice = m_selected->isWait ? shown.workBeside(place.stage, place.middle(), direction)
                                              : shown.neighbour(m_selected->slice, direction);
        const auto wait = alongWork ? shown.waitBeside(place.stage, place.middle(), direction) : std::nullopt;
        if (slice)
            next = GanttRef{m_selected->timeline, *slice};
        const GanttRef ofWait{m_selected->timeline, wait.value_or(0), true};
        if (wait && (!next || direction * (placeOf(ofWait).middle() - placeOf(*next).middle()) < 0))
            next = ofWait;
    } else if (m_hover) {
        next = m_hover;
    } else if (const GanttLane& first = index().lane(0, LaneKind::Work); first.size() > 0) {
        const GanttIndex::Range range = GanttIndex::visible(first, shownX().low, shownX().high);
        next = GanttRef{0, first.slice[range.first < range.last ? range.first : 0]};
    }
    if (next)
        go(*next);
}

// From wait to wait of a stage; at first the one next to what is selected, or the first that any stage has.
void PipelineChart::stepWait(int direction)
{
    const auto from = m_selected ? m_selected : m_hover;
    if (from) {
        const GanttIndex& shown = index(from->timeline);
        const Place place = placeOf(*from);
        const auto wait = shown.waitBeside(place.stage, place.middle(), direction);
        if (wait)
            go({from->timeline, *wait, true});
        return;
    }
    if (!index().timeline().waits.empty())
        go({0, 0, true});
}

// By the keyboard.
void PipelineChart::go(GanttRef ref)
{
    select(ref);
    bringIntoView(ref);
    announce(sliceRect(ref).center(), toolTipOf(ref));
}

// What ended the selected wait, or the wait before the selected slice.
void PipelineChart::stepToCause()
{
    const auto ender = enderOf(*m_selected);
    if (ender)
        go({m_selected->timeline, *ender});
}

// The slice or wait at the same time on the next row that has one.
void PipelineChart::stepRow(int direction)
{
    const Place place = placeOf(*m_selected);
    const std::vector<GanttRow>& rows = m_rows.all();
    const LaneKind lane =
        m_selected->isWait ? LaneKind::Work : index(m_selected->timeline).laneOf(sliceOf(*m_selected));
    const GanttRow* row = m_rows.find(place.stage, lane, m_selected->timeline);
    if (!row)
        row = m_rows.work(place.stage, m_selected->timeline);
    for (auto i = row - rows.data() + direction; i >= 0 && i < static_cast<std::ptrdiff_t>(rows.size());
         i += direction) {
        const GanttRow& other = rows[static_cast<std::size_t>(i)];
        if (other.kind != GanttRow::Kind::Lane)
            continue;
        const GanttIndex& shown = index(other.timeline);
        if (const auto slice = shown.at(other.stage, other.lane, place.middle())) {
            go({other.timeline, *slice});
            return;
        }
        if (const Wait* wait = other.isWork() ? shown.waitAt(other.stage, place.middle()) : nullptr) {
            go({other.timeline, shown.indexOf(*wait), true});
            return;
        }
    }
}

// The area around what is selected; with nothing selected, all that is visible.
void PipelineChart::selectAreaOfMarked()
{
    if (m_selected) {
        const Place place = placeOf(*m_selected);
        selectArea({place.time, place.stage, place.stage});
    } else {
        const auto stages =
            m_rows.stagesIn(shownY().low, shownY().high).value_or(GanttRows::Stages{0, m_arrangement.stages - 1});
        selectArea({shownX(), stages.first, stages.last});
    }
}

void PipelineChart::stretchArea(Qt::Key key)
{
    GanttArea area = *m_area;
    const double by = shownX().length() * kKeyStretch;
    switch (key) {
    case Qt::Key_Right:
        area.time.high += by;
        break;
    case Qt::Key_Left:
        area.time.high = std::max(area.time.high - by, area.time.low);
        break;
    case Qt::Key_D:
        area.time.low = std::min(area.time.low + by, area.time.high);
        break;
    case Qt::Key_A:
        area.time.low -= by;
        break;
    case Qt::Key_Down:
        ++area.lastStage;
        break;
    case Qt::Key_Up:
        area.lastStage = std::max(area.lastStage - 1, area.firstStage);
        break;
    default:
        return;
    }
    selectArea(area);
}

void PipelineChart::toggleFold()
{
    if (!m_arrangement.canUnfold())
        return;
    const int stage = m_selected ? placeOf(*m_selected).stage
        : m_hover                ? placeOf(*m_hover).stage
        : linkedStage() >= 0     ? linkedStage()
                                 : stageAt(plot().axisRect()->top() + 1.0);
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
    case Qt::Key_W:
        zoom(Qt::Horizontal, kKeyZoom, anchor);
        return true;
    case Qt::Key_S:
        zoom(Qt::Horizontal, 1 / kKeyZoom, anchor);
        return true;
    case Qt::Key_A:
        pan(Qt::Horizontal, -kKeyPan);
        return true;
    case Qt::Key_D:
        pan(Qt::Horizontal, kKeyPan);
        return true;
    case Qt::Key_Period:
        step(1);
        return true;
    case Qt::Key_Comma:
        step(-1);
        return true;
    case Qt::Key_I:
        stepWait(shifted ? -1 : 1);
        return true;
    case Qt::Key_M:
        selectAreaOfMarked();
        return true;
    case Qt::Key_C:
        setCriticalPathShown(!m_criticalShown);
        return true;
    case Qt::Key_BracketLeft:
        if (m_selected)
            stepToCause();
        return true;
    case Qt::Key_E:
        if (shifted)
            setAllUnfolded(std::find(m_arrangement.unfolded.begin(), m_arrangement.unfolded.end(), false)
                != m_arrangement.unfolded.end());
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
    default:
        return false;
    }
}

} // namespace stratoplan
