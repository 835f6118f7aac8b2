// SPDX-License-Identifier: GPL-3.0-or-later
// Does what the keys ask of a pipeline chart.
#pragma once

#include "widgets/presentation/gantt_selection.h"

class QKeyEvent;

namespace stratoplan::widgets {

class PipelineChart;

class PipelineKeys {
public:
    explicit PipelineKeys(PipelineChart& chart)
        : m_chart(chart)
    {
    }
    /// True if the key has a meaning to the chart.
    bool press(const QKeyEvent& event);

private:
    void perform(GanttCommand command, Qt::Key key);
    void moveView(GanttCommand command);
    void go(std::optional<GanttRef> ref);
    void bringIntoView(GanttRef ref);
    void fitMarked();
    void toggleFold();

    PipelineChart& m_chart;
};

} // namespace stratoplan::widgets
