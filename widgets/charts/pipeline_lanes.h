// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the rows of a pipeline chart: lanes, memory, differences, phases and the critical path.
#pragma once

#include "widgets/charts/gantt_painter.h"
#include "widgets/presentation/gantt_layout.h"

namespace stratoplan::widgets {

/// What every painter of the chart is given for a frame.
struct PipelineFrame {
    QPainter& painter;
    GanttLayout layout;
    const Tokens& tokens;
    QFont font;
};

class PipelineLanes {
public:
    /// Of the numbers of micro-batches.
    void setFont(const QFont& font) { m_painter.setFont(font); }
    /// `vector`: for a file of shapes. Nothing of an empty scene.
    void paint(const PipelineFrame& frame, bool vector, bool withCriticalPath);
    [[nodiscard]] const GanttPainter& painter() const { return m_painter; }

private:
    void paintLanes(const PipelineFrame& frame, const GanttPainter::Frame& lanes, const GanttRow& row);

    GanttPainter m_painter;
};

/// The phases of the pipeline above the plot, named where there is room.
void paintPhases(const PipelineFrame& frame);

} // namespace stratoplan::widgets
