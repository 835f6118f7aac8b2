// SPDX-License-Identifier: GPL-3.0-or-later
// What the context menu of a pipeline chart offers besides what all charts do.
#pragma once

class QMenu;

namespace stratoplan::widgets {

class PipelineChart;

void addPipelineActions(QMenu& menu, PipelineChart& chart);

} // namespace stratoplan::widgets
