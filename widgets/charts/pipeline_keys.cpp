// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pipeline_keys.h"

#include "widgets/charts/pipeline_chart.h"
#include "widgets/charts/qcp.h"
#include "widgets/presentation/gantt_scene_text.h"

#include <QKeyEvent>

namespace stratoplan::widgets {

namespace {
constexpr double kZoomStep = 1.5;
constexpr double kPanStep = 0.12; // of the view
constexpr double kStretch = 0.02;
} // namespace

bool PipelineKeys::press(const QKeyEvent& event)
{
    const auto key = static_cast<Qt::Key>(event.key());
    const auto command = commandOf(key, event.modifiers(), m_chart.selection());
    if (command)
        perform(*command, key);
    return command.has_value();
}

void PipelineKeys::perform(GanttCommand command, Qt::Key key)
{
    const GanttScene& scene = m_chart.scene();
    const GanttSelection& marked = m_chart.selection();
    const Interval visible = m_chart.shownX();
    switch (command) {
    case GanttCommand::ClearMarks:
        return m_chart.marks().clear();
    case GanttCommand::StretchArea:
        return m_chart.marks().selectArea(stretched(*marked.area, key, visible.length() * kStretch));
    case GanttCommand::SelectArea:
        return m_chart.marks().selectArea(areaOfMarked(m_chart.ganttLayout(), marked));
    case GanttCommand::SelectCause:
        return go(marked.selected ? scene.causeOf(*marked.selected) : std::nullopt);
    case GanttCommand::RowBelow:
    case GanttCommand::RowAbove:
        return go(markOnNextRow(scene, *marked.selected, command == GanttCommand::RowBelow ? 1 : -1));
    case GanttCommand::NextMark:
    case GanttCommand::PreviousMark:
        return go(markBeside(scene, marked, visible, command == GanttCommand::NextMark ? 1 : -1));
    case GanttCommand::NextWait:
    case GanttCommand::PreviousWait:
        return go(waitBeside(scene, marked, command == GanttCommand::NextWait ? 1 : -1));
    case GanttCommand::ToggleCriticalPath:
        return m_chart.setCriticalPathShown(!m_chart.isCriticalPathShown());
    case GanttCommand::ToggleFold:
        return toggleFold();
    case GanttCommand::ToggleAllFolds:
        return m_chart.setAllUnfolded(!scene.areAllUnfolded());
    case GanttCommand::FitAll:
        return m_chart.fitAll();
    case GanttCommand::FitMarked:
        return fitMarked();
    default:
        return moveView(command);
    }
}

void PipelineKeys::moveView(GanttCommand command)
{
    const QRect rect = m_chart.plot().axisRect()->rect();
    const double pointer = m_chart.plot().mapFromGlobal(QCursor::pos()).x();
    const double anchor = pointer > rect.left() && pointer < rect.right() ? pointer : rect.center().x();
    if (command == GanttCommand::ZoomIn || command == GanttCommand::ZoomOut)
        m_chart.zoom(Qt::Horizontal, command == GanttCommand::ZoomIn ? kZoomStep : 1 / kZoomStep, anchor);
    else
        m_chart.pan(Qt::Horizontal, command == GanttCommand::PanRight ? kPanStep : -kPanStep);
}

void PipelineKeys::go(std::optional<GanttRef> ref)
{
    if (!ref)
        return;
    m_chart.marks().select(ref);
    bringIntoView(*ref);
    m_chart.announce(m_chart.ganttLayout().sliceRect(*ref).center(), tipOf(m_chart.scene(), *ref));
}

void PipelineKeys::bringIntoView(GanttRef ref)
{
    const GanttPlace place = m_chart.scene().placeOf(ref);
    const Interval view = m_chart.shownX();
    if (place.time.low < view.low || place.time.high > view.high)
        m_chart.pan(Qt::Horizontal, (place.middle() - (view.low + view.high) / 2) / view.length());
    const Interval rows = m_chart.scene().rows().extent(place.stage);
    const Interval shown = m_chart.shownY();
    if (rows.low < shown.low || rows.high > shown.high)
        m_chart.pan(Qt::Vertical, ((rows.low + rows.high) / 2 - (shown.low + shown.high) / 2) / shown.length());
}

void PipelineKeys::fitMarked()
{
    const GanttSelection& marked = m_chart.selection();
    const Interval time = marked.area ? marked.area->time : m_chart.scene().placeOf(*marked.selected).time;
    if (marked.selected)
        bringIntoView(*marked.selected);
    m_chart.showTime(centredOrFitted(m_chart.ganttLayout(), time));
}

void PipelineKeys::toggleFold()
{
    const GanttScene& scene = m_chart.scene();
    if (!scene.arrangement().canUnfold())
        return;
    const auto pointed = m_chart.selection().pointed();
    const int stage = pointed        ? scene.placeOf(*pointed).stage
        : m_chart.linkedStage() >= 0 ? m_chart.linkedStage()
                                     : m_chart.topStage();
    m_chart.setUnfolded(stage, !scene.arrangement().isUnfolded(stage));
}

} // namespace stratoplan::widgets
