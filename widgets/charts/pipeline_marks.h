// SPDX-License-Identifier: GPL-3.0-or-later
// Holds what a person marks in a pipeline chart and tells of it.
#pragma once

#include "widgets/presentation/gantt_selection.h"

#include <QObject>

namespace stratoplan::widgets {

class PipelineMarks : public QObject {
    Q_OBJECT
public:
    /// Of this scene, which outlives it.
    PipelineMarks(const GanttScene& scene, QObject* parent);

    [[nodiscard]] const GanttSelection& all() const { return m_all; }
    void hover(std::optional<GanttRef> ref);
    /// Nothing if there is no such slice or wait; null clears all marks. What is selected already is told of again
    /// only if that is asked for.
    void select(std::optional<GanttRef> ref, bool again = false);
    void selectArea(const GanttArea& area);
    void clear();
    /// The same before another scene is shown, which changes the picture anyway.
    void drop();

    /// True: what is dragged from there changes marks.
    bool press(const GanttLayout& layout, QPointF at, Qt::KeyboardModifiers modifiers);
    void drag(const GanttLayout& layout, QPointF to);
    void release();

Q_SIGNALS:
    void changed(); ///< looks different
    void sliceSelected(const pipeline::Slice& slice, int timeline);
    void waitSelected(const pipeline::Wait& wait, int timeline);
    void areaSelected(const widgets::AreaSums& sums);
    void cleared();

private:
    const GanttScene& m_scene;
    GanttSelection m_all;
    GanttDrag m_drag;
};

} // namespace stratoplan::widgets
