// SPDX-License-Identifier: GPL-3.0-or-later
// Paints what is pointed at, selected and measured above the rows of a pipeline chart.
#pragma once

#include "widgets/charts/pipeline_lanes.h"
#include "widgets/presentation/gantt_selection.h"

namespace stratoplan::widgets {

/// `linkedStage` is pointed at elsewhere; -1: none. Nothing of an empty scene.
void paintPipelineOverlay(const PipelineFrame& frame, const GanttSelection& selection, int linkedStage);

} // namespace stratoplan::widgets
