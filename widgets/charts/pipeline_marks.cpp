// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/pipeline_marks.h"

#include <utility>

namespace stratoplan::widgets {

PipelineMarks::PipelineMarks(const GanttScene& scene, QObject* parent)
    : QObject(parent)
    , m_scene(scene)
{
}

void PipelineMarks::hover(std::optional<GanttRef> ref)
{
    if (ref == m_all.hovered)
        return;
    m_all.hovered = ref;
    Q_EMIT changed();
}

void PipelineMarks::select(std::optional<GanttRef> ref, bool again)
{
    if (ref && !m_scene.holds(*ref))
        return;
    if (ref == m_all.selected && !again && !m_all.area && !m_all.measure)
        return;
    if (!ref) {
        clear();
        return;
    }
    m_all = {m_all.hovered, ref, {}, {}};
    Q_EMIT changed();
    if (ref->isWait)
        Q_EMIT waitSelected(m_scene.waitOf(*ref), ref->timeline);
    else
        Q_EMIT sliceSelected(m_scene.sliceOf(*ref), ref->timeline);
}

void PipelineMarks::selectArea(const GanttArea& area)
{
    if (m_scene.isEmpty())
        return;
    m_all.selected.reset();
    m_all.area = m_scene.confined(area);
    Q_EMIT changed();
    Q_EMIT areaSelected(areaSums(m_scene.index(), *m_all.area));
}

void PipelineMarks::clear()
{
    drop();
    Q_EMIT changed();
}

void PipelineMarks::drop()
{
    m_drag = {};
    const GanttSelection before = std::exchange(m_all, {});
    if (before.selected || before.area)
        Q_EMIT cleared();
}

bool PipelineMarks::press(const GanttLayout& layout, QPointF at, Qt::KeyboardModifiers modifiers)
{
    const bool takes = !modifiers.testFlag(Qt::ShiftModifier) && layout.isInPlot(at);
    m_drag = takes ? dragFrom(layout, m_all, at, modifiers.testFlag(Qt::ControlModifier)) : GanttDrag();
    return takes;
}

void PipelineMarks::drag(const GanttLayout& layout, QPointF to)
{
    if (m_drag.kind == GanttDrag::Kind::None)
        return; // given up with Esc
    dragTo(m_all, m_drag, layout, to);
    Q_EMIT changed();
}

void PipelineMarks::release()
{
    const GanttDrag::Kind ended = std::exchange(m_drag, {}).kind;
    if (ended != GanttDrag::Kind::None && ended != GanttDrag::Kind::Measure && m_all.area)
        selectArea(*m_all.area);
}

} // namespace stratoplan::widgets
